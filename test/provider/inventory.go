package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// inventory is the data source muster_inventory: the clusters that a server builds.
type inventory struct{ from settings }

// clusters are what it reads.
type clusters struct {
	Clusters []cluster `tfsdk:"clusters"`
}

// cluster is one of them, as the server and the program write it.
type cluster struct {
	Name         string            `json:"name" tfsdk:"name"`
	Phase        string            `json:"phase" tfsdk:"phase"`
	Region       string            `json:"region" tfsdk:"region"`
	Subscription string            `json:"subscription" tfsdk:"subscription"`
	GPU          string            `json:"gpu" tfsdk:"gpu"`
	Islands      []island          `json:"islands" tfsdk:"islands"`
	Variables    map[string]string `json:"variables" tfsdk:"variables"`
}

type island struct {
	Name  string `json:"name" tfsdk:"name"`
	Nodes int64  `json:"nodes" tfsdk:"nodes"`
}

// Metadata names the data source.
func (*inventory) Metadata(_ context.Context, asked datasource.MetadataRequest, is *datasource.MetadataResponse) {
	is.TypeName = asked.ProviderTypeName + "_inventory"
}

// Schema lists what is read.
func (*inventory) Schema(_ context.Context, _ datasource.SchemaRequest, is *datasource.SchemaResponse) {
	text := schema.StringAttribute{Computed: true}
	islands := schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{"name": text, "nodes": schema.Int64Attribute{Computed: true}}}
	one := schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"name": text, "phase": text, "region": text, "subscription": text, "gpu": text,
		"islands":   schema.ListNestedAttribute{Computed: true, NestedObject: islands},
		"variables": schema.MapAttribute{Computed: true, ElementType: types.StringType},
	}}
	is.Schema = schema.Schema{Attributes: map[string]schema.Attribute{"clusters": schema.ListNestedAttribute{Computed: true, NestedObject: one}}}
}

// Configure takes the provider's settings.
func (d *inventory) Configure(_ context.Context, asked datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if s, is := asked.ProviderData.(settings); is {
		d.from = s
	}
}

// Read asks the server.
func (d *inventory) Read(ctx context.Context, _ datasource.ReadRequest, is *datasource.ReadResponse) {
	list, err := d.ask(ctx)
	if err != nil {
		is.Diagnostics.AddError("The inventory cannot be read", err.Error())
		return
	}
	is.Diagnostics.Append(is.State.Set(ctx, clusters{list})...)
}

// version is of the inventory that this provider reads.
const version = 1

func (d *inventory) ask(ctx context.Context) ([]cluster, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.from.Address.ValueString()+"/v1/inventory", nil)
	if err != nil {
		return nil, err
	}
	if token := d.from.Token.ValueString(); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", r.URL, answer.Status)
	}
	var v struct {
		Version  int       `json:"version"`
		Clusters []cluster `json:"clusters"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&v); err != nil || v.Version != version {
		return nil, fmt.Errorf("%s answers with version %d of the inventory, and version %d is read (%w)", r.URL, v.Version, version, err)
	}
	return v.Clusters, nil
}
