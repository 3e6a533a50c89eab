package api

import (
	"sync"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/muster-fleet/muster/internal/faces/wire"
)

// What a request may hold, however few bytes say it: an empty message of a list is two
// bytes of a request, and some hundred in memory.
const (
	mostMessages = 100_000 // messages within messages
	mostItems    = 400_000 // all entries of lists
	mostDepth    = 32
	unruled      = 1000 // entries of a list whose rule names no other number
)

// tally counts what a request holds while it is still bytes.
type tally struct{ messages, items int }

// note counts so much more.
func (t *tally) note(messages, items int) error {
	t.messages, t.items = t.messages+messages, t.items+items
	if t.messages > mostMessages || t.items > mostItems {
		return wire.Wrong("request", "holds more than %d messages, or %d entries of lists; send it in parts", mostMessages, mostItems)
	}
	return nil
}

// binary counts a message in protobuf's own encoding, and its lists against their rules.
// What is no message is left to who decodes it.
func (t *tally) binary(data []byte, d protoreflect.MessageDescriptor, depth int) error {
	if depth > mostDepth {
		return wire.Wrong("request", "holds messages within messages, more than %d deep", mostDepth)
	}
	var entries map[protowire.Number]int // of lists; most messages have none
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return nil
		}
		data = data[n:]
		size := protowire.ConsumeFieldValue(number, kind, data)
		if size < 0 {
			return nil
		}
		if f := d.Fields().ByNumber(number); f != nil {
			if entries == nil && f.Cardinality() == protoreflect.Repeated {
				entries = map[protowire.Number]int{}
			}
			if err := t.field(f, kind, data[:size], entries, depth); err != nil {
				return err
			}
		}
		data = data[size:]
	}
	return nil
}

// field counts one field as it comes.
func (t *tally) field(f protoreflect.FieldDescriptor, kind protowire.Type, value []byte, entries map[protowire.Number]int, depth int) error {
	if f.Cardinality() == protoreflect.Repeated {
		n := 1
		if kind == protowire.BytesType && f.IsPacked() {
			n = len(value)
		}
		if entries[f.Number()] += n; entries[f.Number()] > mostOf(f) && !f.IsPacked() {
			return overfull(string(f.Name()), f)
		}
		if err := t.note(0, n); err != nil {
			return err
		}
	}
	if f.Message() == nil || kind != protowire.BytesType {
		return nil
	}
	inside, n := protowire.ConsumeBytes(value)
	if n < 0 {
		return nil
	}
	if err := t.note(1, 0); err != nil {
		return err
	}
	return t.binary(inside, f.Message(), depth+1)
}

// text counts the messages and the entries of a request in JSON.
func (t *tally) text(data []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		messages, items := 0, 0
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			messages, depth = 1, depth+1
		case c == '}' || c == ']':
			depth--
		case c == ',':
			items = 1
		}
		if depth > 2*mostDepth {
			return wire.Wrong("request", "holds messages within messages, more than %d deep", mostDepth)
		}
		if messages+items > 0 {
			if err := t.note(messages, items); err != nil {
				return err
			}
		}
	}
	return nil
}

func overfull(at string, f protoreflect.FieldDescriptor) error {
	return wire.Wrong(at, "has more than %d entries; send it in parts", mostOf(f))
}

// most remembers how many entries each list may have.
var most sync.Map // of int, by the field's descriptor

// mostOf is how many entries a list may have, as its rule in the .proto file says.
func mostOf(f protoreflect.FieldDescriptor) int {
	if n, known := most.Load(f); known {
		return n.(int)
	}
	n := unruled
	if rules, err := protovalidate.ResolveFieldRules(f); err == nil && rules.GetRepeated().GetMaxItems() > 0 {
		n = int(rules.GetRepeated().GetMaxItems())
	}
	most.Store(f, n)
	return n
}

// countedProto is protobuf's own encoding, of which nothing is decoded that holds too much.
type countedProto struct{}

// Name is part of connect.Codec.
func (countedProto) Name() string { return "proto" }

// IsBinary is part of the codecs that may be asked by GET.
func (countedProto) IsBinary() bool { return true }

// Marshal is part of connect.Codec.
func (countedProto) Marshal(message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, notMessage(message)
	}
	return proto.Marshal(m)
}

// MarshalAppend is Marshal into room that is there.
func (countedProto) MarshalAppend(dst []byte, message any) ([]byte, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return nil, notMessage(message)
	}
	return proto.MarshalOptions{}.MarshalAppend(dst, m)
}

// Unmarshal is part of connect.Codec.
func (countedProto) Unmarshal(data []byte, message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return notMessage(message)
	}
	if err := new(tally).binary(data, m.ProtoReflect().Descriptor(), 0); err != nil {
		return err
	}
	return proto.Unmarshal(data, m)
}
