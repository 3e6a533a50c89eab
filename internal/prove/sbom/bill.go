package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"runtime/debug"
	"slices"
	"strings"
)

// document is a CycloneDX 1.5 document, as far as it is needed.
type document struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// bill is the bill of materials of a program, as its build information says.
func bill(info *debug.BuildInfo) ([]byte, error) {
	d := document{Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: metadata{componentOf("application", &info.Main)}}
	d.Components = append(d.Components, component{Type: "platform", Name: "go", Version: strings.TrimPrefix(info.GoVersion, "go")})
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		d.Components = append(d.Components, componentOf("library", m))
	}
	slices.SortFunc(d.Components, func(a, b component) int { return cmp.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(d)
	return b.Bytes(), err
}

// componentOf is a module. Its checksum is that of go.sum (h1), a SHA-256 of its files.
func componentOf(kind string, m *debug.Module) component {
	c := component{Type: kind, Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path}
	if m.Version != "" && m.Version != "(devel)" {
		c.PURL += "@" + m.Version
	}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == 32 {
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
	}
	return c
}
