package api_test

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	_ "github.com/muster-fleet/muster/gen/muster/v1" // its descriptors
)

// hostile makes messages of the .proto files out of what breaks programs.
type hostile struct{ *rand.Rand }

var hostileTexts = []string{
	"", "oak", "base", "research/oak", "tiger/h200", "tiger", "flex", "a/b/c/d", "..", "/", "@", "oak@tiger", "\x00", "\x1b[2J", "=1+1", "'; drop", "\u202e", "%s%n", "-1", "https://[::1]/",
	strings.Repeat("a", 300), strings.Repeat("á/", 400), strings.Repeat("x", 70_000),
}

var hostileNumbers = []int64{0, 1, -1, 2, 8, 1 << 15, 1<<31 - 1, -1 << 31, 1<<63 - 1, -1 << 63}

// message fills a message at random. Write.dry_run is left to chance, too.
func (h hostile) message(d protoreflect.MessageDescriptor, depth int) *dynamicpb.Message {
	m := dynamicpb.NewMessage(d)
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if h.IntN(3) == 0 || f.IsMap() || depth > 4 && f.Message() != nil {
			continue
		}
		if !f.IsList() {
			m.Set(f, h.value(f, depth))
			continue
		}
		list := m.Mutable(f).List()
		entries := []int{0, 1, 2, 3, 40}[h.IntN(5)]
		if depth == 0 && h.IntN(20) == 0 {
			entries = 12_000 // more than any list may have
		}
		for one := h.value(f, depth); entries > 0; entries-- {
			if entries <= 40 {
				one = h.value(f, depth)
			}
			list.Append(one)
		}
	}
	return m
}

func (h hostile) value(f protoreflect.FieldDescriptor, depth int) protoreflect.Value {
	n := hostileNumbers[h.IntN(len(hostileNumbers))]
	switch f.Kind() {
	case protoreflect.MessageKind:
		return protoreflect.ValueOfMessage(h.message(f.Message(), depth+1))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(strings.ToValidUTF8(hostileTexts[h.IntN(len(hostileTexts))], ""))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(hostileTexts[h.IntN(len(hostileTexts))]))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(h.IntN(2) == 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(n)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(n))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(n))
	}
	return protoreflect.ValueOfFloat64(float64(n))
}

// procedures are all calls of the API that are no streams.
func procedures() (list []protoreflect.MethodDescriptor) {
	protoregistry.GlobalFiles.RangeFilesByPackage("muster.v1", func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			for k, methods := 0, f.Services().Get(i).Methods(); k < methods.Len(); k++ {
				if !methods.Get(k).IsStreamingServer() {
					list = append(list, methods.Get(k))
				}
			}
		}
		return true
	})
	return list
}

// attack sends a hostile message to a procedure. Whatever it says, the answer is no failure of the
// server's, and is of bounded size.
func attack(t *testing.T, h *house, p protoreflect.MethodDescriptor, random hostile) {
	t.Helper()
	m := random.message(p.Input(), 0)
	if proto.Size(m) > 16<<20 {
		return // twice what is read of any: to write it takes seconds
	}
	body, err := proto.Marshal(m)
	must(t, err)
	assault(t, h, p, "application/proto", "", body)
}

// assault sends bytes to a procedure: the answer is no failure of the server's, and is of bounded size.
func assault(t *testing.T, h *house, p protoreflect.MethodDescriptor, kind, encoding string, body []byte) {
	t.Helper()
	path := "/" + string(p.Parent().FullName()) + "/" + string(p.Name())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+path, bytes.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", kind)
	if encoding != "" {
		r.Header.Set("Content-Encoding", encoding)
	}
	status, answer := answered(t, r)
	if status >= 500 && status != http.StatusNotImplemented || len(answer) > 1_000_000 {
		said := h.log.String()
		said = said[max(0, strings.LastIndex(said, "stack=")-600):]
		t.Errorf("%s is answered with %d and %d bytes: %.300s\n%.4000s", path, status, len(answer), answer, said)
	}
}

// FuzzCalls sends hostile messages, made of the .proto files, to any procedure. What one of them changes the next ones
// find so: with a new house for each there would be a few messages a second.
func FuzzCalls(f *testing.F) {
	all := procedures()
	for which := range all {
		f.Add(uint16(which), uint64(which))
	}
	h := furnished(f)
	f.Fuzz(func(t *testing.T, which uint16, seed uint64) {
		attack(t, h, all[int(which)%len(all)], hostile{rand.New(rand.NewPCG(seed, 0))})
	})
}

// FuzzBytes sends any bytes to any procedure, in each encoding, plain and packed: the answer
// is no failure of the server's.
func FuzzBytes(f *testing.F) {
	f.Add(uint16(0), uint8(0), []byte(`{}`))
	f.Add(uint16(7), uint8(1), []byte{2<<3 | 2, 0, 2<<3 | 2, 0})
	f.Add(uint16(12), uint8(0), []byte(`{"spec":{"name":"\ud800","pools":[{"gpus":1e9}]}}`))
	f.Add(uint16(20), uint8(2), []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255})
	f.Add(uint16(33), uint8(0), []byte(strings.Repeat(`{"changes":[`, 300)))
	f.Add(uint16(41), uint8(1), []byte{10, 3, 0xff, 0xfe, 0xfd})
	all := procedures()
	h := furnished(f)
	f.Fuzz(func(t *testing.T, which uint16, how uint8, body []byte) {
		p := all[int(which)%len(all)]
		kind, encoding := []string{"application/json", "application/proto", "application/json", "application/proto"}[how%4], []string{"", "", "gzip", "gzip"}[how%4]
		assault(t, h, p, kind, encoding, body)
	})
}
