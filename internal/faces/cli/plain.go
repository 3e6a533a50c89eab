package cli

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// This file turns messages into what programs read as JSON and YAML: every
// field, in the order of the contract, with numbers as numbers.

// object is keys with values, in order.
type object []member

type member struct {
	key   string
	value any
}

// plain turns a message into objects, lists and plain values.
func plain(m proto.Message) any {
	switch m := m.(type) {
	case *timestamppb.Timestamp:
		return m.AsTime().Format(time.RFC3339Nano)
	case *durationpb.Duration:
		return m.AsDuration().Seconds()
	}
	var o object
	r := m.ProtoReflect()
	fields := r.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if (f.Message() != nil || f.HasOptionalKeyword() || f.ContainingOneof() != nil) && !f.IsList() && !f.IsMap() && !r.Has(f) {
			continue
		}
		o = append(o, member{keyOf(f), fieldOf(f, r.Get(f))})
	}
	return o
}

// keyOf is a field's name; durations say their unit.
func keyOf(f protoreflect.FieldDescriptor) string {
	if f.Message() != nil && f.Message().FullName() == "google.protobuf.Duration" {
		return f.JSONName() + "Seconds"
	}
	return f.JSONName()
}

func fieldOf(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch {
	case f.IsMap():
		return mapOf(f, v.Map())
	case f.IsList():
		list := make([]any, v.List().Len())
		for i := range list {
			list[i] = one(f, v.List().Get(i))
		}
		return list
	}
	return one(f, v)
}

func mapOf(f protoreflect.FieldDescriptor, m protoreflect.Map) any {
	o := object{}
	m.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		o = append(o, member{k.String(), one(f.MapValue(), v)})
		return true
	})
	sort.Slice(o, func(i, j int) bool { return lessKey(o[i].key, o[j].key) })
	return o
}

// lessKey orders numbers as numbers.
func lessKey(a, b string) bool {
	m, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return m < n
	}
	return a < b
}

func one(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch {
	case f.Message() != nil:
		return plain(v.Message().Interface())
	case f.FullName() == "muster.v1.Event.data" && json.Valid([]byte(v.String())):
		return json.RawMessage(v.String())
	}
	return v.Interface()
}

// MarshalJSON writes the keys in their order.
func (o object) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// asJSON is a value as indented JSON with a line's end.
func asJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// asYAML is a value as YAML. JSON is YAML too, so the keys keep their order.
func asYAML(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(data, &node); err != nil {
		return nil, err
	}
	unquote(&node)
	return yaml.Marshal(&node)
}

// unquote drops the style of JSON, so that YAML chooses its own.
func unquote(n *yaml.Node) {
	n.Style = 0
	for _, c := range n.Content {
		unquote(c)
	}
}
