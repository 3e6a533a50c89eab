package yamlfile

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/muster-fleet/muster/internal/state/text"
)

// Fields is a mapping whose keys have been checked.
type Fields struct {
	of    Value
	at    map[string]Value
	meant map[string]bool // known keys that a typing error stands for
}

// Fields reads the value as a mapping that may have the known keys only, each once.
func (v Value) Fields(known ...string) Fields {
	f := v.entries()
	for _, key := range f.keys() {
		if !slices.Contains(known, key) {
			at := f.at[key]
			at.doc.fail(at.line(), "unknown key %s; %s", Quote(key), Remedy(key, known))
			f.meant[Nearest(key, known)] = true
		}
	}
	return f
}

// Entry is one key of a mapping with its value.
type Entry struct {
	Key   string
	Value Value
}

// Entries reads the value as a mapping with keys of the reader's own choice, in
// the order of the file.
func (v Value) Entries() []Entry {
	f := v.entries()
	var all []Entry
	for _, key := range f.keys() {
		all = append(all, Entry{key, f.at[key]})
	}
	return all
}

func (v Value) entries() Fields {
	f := Fields{of: v, at: map[string]Value{}, meant: map[string]bool{}}
	if v.node == nil {
		return f
	}
	if v.node.Kind != yaml.MappingNode {
		v.Fail("%s is %s; write keys with values, as in {key: value}", v.name, v.kind())
		return Fields{}
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		f.add(v.node.Content[i], v.node.Content[i+1])
	}
	return f
}

func (f Fields) add(key, value *yaml.Node) {
	v := Value{f.of.doc, value, Clip(key.Value)}
	switch first, twice := f.at[key.Value]; {
	case key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge":
		v.doc.fail(key.Line, "%s cannot be a key here; write a plain word", Value{v.doc, key, ""}.kind())
	case twice:
		v.doc.fail(key.Line, "key %s is here twice, first in line %d; keep one", Quote(key.Value), first.line())
	default:
		// An empty value has no place of its own, so it is found by its key.
		if value.Line == 0 {
			value.Line = key.Line
		}
		f.at[key.Value] = v
	}
}

// line is where a value is, for errors about the place and not what stands there.
func (v Value) line() int { return v.node.Line }

// keys lists the keys that are there, in the order of the file.
func (f Fields) keys() []string {
	var keys []string
	if f.of.node == nil {
		return nil
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(f.of.node.Content); i += 2 {
		key := f.of.node.Content[i].Value
		if v, ok := f.at[key]; ok && v.node == f.of.node.Content[i+1] && !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// At is the value of a key, absent where the key is not there.
func (f Fields) At(key string) Value { return f.at[key] }

// Has says whether a key is there.
func (f Fields) Has(key string) bool { _, ok := f.at[key]; return ok }

// Need is the value of a key that must be there.
func (f Fields) Need(key string) Value {
	v, ok := f.at[key]
	if !ok && f.of.node != nil && !f.meant[key] {
		f.of.Fail("%s is missing in %s; add it", Quote(key), f.of.name)
	}
	return v
}

// One is the one key of several that is there: there must be exactly one.
func (f Fields) One(keys ...string) (string, Value) {
	var found []string
	for _, key := range f.keys() {
		if slices.Contains(keys, key) {
			found = append(found, key)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], f.at[found[0]]
	case f.of.node == nil || f.misspelt(keys):
	case len(found) == 0:
		f.of.Fail("%s has none of %s; write exactly one", f.of.name, strings.Join(keys, ", "))
	default:
		f.of.Fail("%s has %s at once; write exactly one", f.of.name, strings.Join(found, " and "))
	}
	return "", Value{}
}

// misspelt says whether an unknown key probably stands for one of these.
func (f Fields) misspelt(keys []string) bool {
	for _, key := range keys {
		if f.meant[key] {
			return true
		}
	}
	return false
}

// Remedy names the known word that was probably meant, or all of them.
func Remedy(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "did you mean " + Quote(near) + "?"
	}
	if len(known) == 0 {
		return "there are none yet"
	}
	const listed = 20
	if len(known) > listed {
		return "known here: " + strings.Join(known[:listed], ", ") + " and more"
	}
	return "known here: " + strings.Join(known, ", ")
}

// Nearest is the known word that was most likely meant, or "" where none is near enough.
func Nearest(word string, known []string) string { return text.Nearest(word, known) }
