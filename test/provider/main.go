// Command provider is a small provider for OpenTofu and Terraform, for tests: a data source that
// reads Muster's inventory, and a resource that a hand can change behind the program's back.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// address is how projects name the provider. It is in no registry: the program is told where it is.
const address = "muster.test/fleet/muster"

func main() {
	serve := func() provider.Provider { return muster{} }
	if err := providerserver.Serve(context.Background(), serve, providerserver.ServeOpts{Address: address}); err != nil {
		log.Fatal(err)
	}
}

// muster is the provider. It asks one server.
type muster struct{}

// settings are what a project says of the server.
type settings struct {
	Address types.String `tfsdk:"address"`
	Token   types.String `tfsdk:"token"`
}

// Metadata names the provider.
func (muster) Metadata(_ context.Context, _ provider.MetadataRequest, is *provider.MetadataResponse) {
	is.TypeName = "muster"
}

// Schema lists what a project says.
func (muster) Schema(_ context.Context, _ provider.SchemaRequest, is *provider.SchemaResponse) {
	is.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"address": schema.StringAttribute{Optional: true, Description: "where the server listens: http://HOST:PORT"},
		"token":   schema.StringAttribute{Optional: true, Sensitive: true, Description: "of a caller who may read figures"},
	}}
}

// Configure hands the settings to data sources.
func (muster) Configure(ctx context.Context, asked provider.ConfigureRequest, is *provider.ConfigureResponse) {
	var s settings
	is.Diagnostics.Append(asked.Config.Get(ctx, &s)...)
	is.DataSourceData = s
}

// DataSources lists what can be read.
func (muster) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return &inventory{} }}
}

// Resources lists what can be made.
func (muster) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return thing{} }}
}
