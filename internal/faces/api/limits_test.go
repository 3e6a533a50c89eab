package api

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// A list comes in pages, or as a stream: one that grows with the fleet and does neither would not be
// answered any more once the fleet is large.
func TestEveryListHasALimitOrIsAStream(t *testing.T) {
	lists := 0
	protoregistry.GlobalFiles.RangeFilesByPackage("muster.v1", func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			methods := f.Services().Get(i).Methods()
			for k := range methods.Len() {
				m := methods.Get(k)
				if !strings.HasPrefix(string(m.Name()), "List") || m.IsStreamingServer() {
					continue
				}
				lists++
				path := "/" + string(m.Parent().FullName()) + "/" + string(m.Name())
				if m.Input().Fields().ByName("limit") == nil && !whole[path] {
					t.Errorf("%s has no limit and does not stand in whole (limits.go)", path)
				}
			}
		}
		return true
	})
	if lists == 0 {
		t.Error("no list was found")
	}
}
