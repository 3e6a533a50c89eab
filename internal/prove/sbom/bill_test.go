package main

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

// The bill names every module once, in order, with its version and checksum.
func TestTheBillNamesEveryModule(t *testing.T) {
	const sum = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
	info := &debug.BuildInfo{GoVersion: "go1.26.1", Main: debug.Module{Path: "example.org/it", Version: "(devel)"}, Deps: []*debug.Module{
		{Path: "example.org/b", Version: "v1.2.3", Sum: sum},
		{Path: "example.org/a", Version: "v0.1.0", Replace: &debug.Module{Path: "example.org/fork", Version: "v0.1.1", Sum: sum}},
	}}
	text, err := bill(info)
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range d.Components {
		names = append(names, c.Name+" "+c.Version)
	}
	if got := strings.Join(names, ", "); got != "example.org/b v1.2.3, example.org/fork v0.1.1, go 1.26.1" {
		t.Errorf("it names %s", got)
	}
	if h := d.Components[0].Hashes; len(h) != 1 || h[0].Content != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" || d.Components[0].PURL != "pkg:golang/example.org/b@v1.2.3" {
		t.Errorf("of the first it says %+v", d.Components[0])
	}
}
