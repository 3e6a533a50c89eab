package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// thing is the resource muster_thing: a file, which stands outside of the program's state, as what
// a cloud keeps does. A hand can change or remove it.
//
// Whatever is asked for leaves a line in the file "asked" beside it, and what is made anew one in "made", with the
// process that asked.
// While a file "hold" is there, an answer waits: what was asked for stands, and the program knows nothing of it.
type thing struct{}

type standing struct {
	File  types.String `tfsdk:"file"`
	Text  types.String `tfsdk:"text"`
	Takes types.String `tfsdk:"takes"`
}

// Metadata names the resource.
func (thing) Metadata(_ context.Context, asked resource.MetadataRequest, is *resource.MetadataResponse) {
	is.TypeName = asked.ProviderTypeName + "_thing"
}

// Schema lists what a project says.
func (thing) Schema(_ context.Context, _ resource.SchemaRequest, is *resource.SchemaResponse) {
	is.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"file":  schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"text":  schema.StringAttribute{Required: true},
		"takes": schema.StringAttribute{Optional: true, Description: "how long an answer takes, once what was asked for stands: 2s"},
	}}
}

// Create makes the file. One that is there already is taken over, as a cloud's PUT does.
func (t thing) Create(ctx context.Context, asked resource.CreateRequest, is *resource.CreateResponse) {
	var want standing
	is.Diagnostics.Append(asked.Plan.Get(ctx, &want)...)
	if err := t.put(ctx, want); err != nil {
		is.Diagnostics.AddError("The thing cannot be made", err.Error())
		return
	}
	is.Diagnostics.Append(is.State.Set(ctx, want)...)
}

// Update writes the file anew.
func (t thing) Update(ctx context.Context, asked resource.UpdateRequest, is *resource.UpdateResponse) {
	var want standing
	is.Diagnostics.Append(asked.Plan.Get(ctx, &want)...)
	if err := t.put(ctx, want); err != nil {
		is.Diagnostics.AddError("The thing cannot be changed", err.Error())
		return
	}
	is.Diagnostics.Append(is.State.Set(ctx, want)...)
}

func (thing) put(ctx context.Context, want standing) error {
	file, folder := want.File.ValueString(), filepath.Dir(want.File.ValueString())
	if err := note(filepath.Join(folder, "asked"), filepath.Base(file)+"\n"); err != nil {
		return err
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := note(filepath.Join(folder, "made"), fmt.Sprintf("%s %d\n", filepath.Base(file), os.Getppid())); err != nil {
			return err
		}
	}
	if err := os.WriteFile(file, []byte(want.Text.ValueString()), 0o600); err != nil {
		return err
	}
	takes, _ := time.ParseDuration(want.Takes.ValueString()) // 0 where there is none
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(takes):
	}
	return held(ctx, filepath.Join(folder, "hold"))
}

func note(file, line string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// held waits while a file is there.
func held(ctx context.Context, file string) error {
	for {
		if _, err := os.Stat(file); err != nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Read says how the file stands. One that is gone is gone.
func (thing) Read(ctx context.Context, asked resource.ReadRequest, is *resource.ReadResponse) {
	var was standing
	is.Diagnostics.Append(asked.State.Get(ctx, &was)...)
	data, err := os.ReadFile(was.File.ValueString())
	if errors.Is(err, fs.ErrNotExist) {
		is.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		is.Diagnostics.AddError("The thing cannot be read", err.Error())
		return
	}
	is.Diagnostics.Append(is.State.SetAttribute(ctx, path.Root("text"), string(data))...)
}

// Delete removes the file.
func (thing) Delete(ctx context.Context, asked resource.DeleteRequest, is *resource.DeleteResponse) {
	var was standing
	is.Diagnostics.Append(asked.State.Get(ctx, &was)...)
	if err := os.Remove(was.File.ValueString()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		is.Diagnostics.AddError("The thing cannot be removed", err.Error())
	}
}
