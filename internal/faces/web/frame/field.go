package frame

import (
	"errors"
	"maps"
	"strings"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// What the API refuses of single fields is told by the labels that readers see, not by the names that programs have for them.

// Places says what an error has against single fields, by the last part of their names: to of zone.to.
func Places(err error) map[string]string {
	list := map[string]string{}
	var input *WrongInput
	if errors.As(err, &input) {
		list[input.field] = input.what
	}
	var fields wrongFields
	if errors.As(err, &fields) {
		maps.Copy(list, fields)
	}
	var ce *connect.Error
	if errors.As(err, &ce) {
		for _, f := range refusalOf(ce).GetFields() {
			list[lastPart(f.GetField())] = f.GetMessage()
		}
	}
	return list
}

// lastPart is the last part of a field's name, without its place in a list: gpus of spec.pools[0].gpus.
func lastPart(field string) string {
	name, _, _ := strings.Cut(field[strings.LastIndex(field, ".")+1:], "[")
	return name
}

// labels are the fields that are not called by their own names where people read.
var labels = map[string]string{"gpus": "GPUs", "gpu": "GPU model", "sku": "SKU", "id": "Number", "kinds": "Kind begins with", "scope": "Cluster or partition", "max_runtime": "Hours at most"}

// Label is what people call a field.
func Label(field string) string {
	name := lastPart(field)
	if label := labels[name]; label != "" || name == "" {
		return label
	}
	return strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ")
}

// fieldsText is what a refusal has against single fields, by their labels; "": it names none.
func fieldsText(r *musterv1.Refusal) string {
	var all []string
	for _, f := range r.GetFields() {
		all = append(all, Label(f.GetField())+": "+f.GetMessage())
	}
	return strings.Join(all, "; ")
}
