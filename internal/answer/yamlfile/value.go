package yamlfile

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sort"

	"go.yaml.in/yaml/v3"
)

// MaxBytes is the size of the largest file that is read: 64 MiB. MaxEntries
// bounds the memory that a file can ask for: it has at most so many commas and lines.
const (
	MaxBytes   = 64 << 20
	MaxEntries = 2_000_000
)

// maxWord is the length of a text without spaces, commas and brackets that is
// refused before anything is taken apart: what is that long is no file of ours.
const maxWord = 64 << 10

// maxErrors is how many errors of one file are kept; the rest is counted.
const maxErrors = 100

// Document is one YAML file on its way in. What is wrong with it collects here,
// so that a reader can walk on and tell everything at once.
type Document struct {
	file string
	errs Errors
	told map[string]bool // errors already in errs, so that none comes twice
	lost int             // errors beyond maxErrors
}

// Value is a place in a document. The zero Value, and a key that is not there,
// is absent: it reads as zero and complains about nothing.
type Value struct {
	doc  *Document
	node *yaml.Node
	name string // how messages call it
}

// ReadFile reads a file that is not larger than MaxBytes.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, Errors{tooLarge(path)}
	}
	return data, nil
}

func tooLarge(file string) Error {
	return Error{File: file, Message: "is larger than 64 MiB; split it into several files"}
}

// Open takes one YAML document apart; file is what messages call it. The Value
// is its top, absent where the text is no single plain YAML document.
func Open(file string, data []byte) (*Document, Value) {
	d := &Document{file: file, told: map[string]bool{}}
	switch {
	case len(data) > MaxBytes:
		d.add(tooLarge(file))
		return d, Value{}
	case bytes.Count(data, []byte(","))+bytes.Count(data, []byte("\n")) > MaxEntries:
		d.fail(0, "has more than %d commas and lines; split it into several files", MaxEntries)
		return d, Value{}
	}
	if line, word := longestWord(data); len(word) > maxWord {
		d.fail(line, "%s is longer than anything that belongs here; a name has at most %d characters", Quote(string(word)), LongestName)
		return d, Value{}
	}
	node, ok := d.decode(data)
	if !ok || !d.plain(node) {
		return d, Value{}
	}
	return d, Value{d, node, "the file"}
}

// Err is what is wrong with the document (Errors), or nil.
func (d *Document) Err() error {
	if len(d.errs) == 0 {
		return nil
	}
	sort.SliceStable(d.errs, func(i, j int) bool { return d.errs[i].Line < d.errs[j].Line })
	if d.lost > 0 {
		last := Error{File: d.file, Message: fmt.Sprintf("and %d more", d.lost)}
		return append(d.errs, last)
	}
	return d.errs
}

// plain refuses what makes YAML mean more than it shows: aliases, anchors, tags.
func (d *Document) plain(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.AliasNode:
		d.fail(n.Line, "an alias (*%s) is not allowed; write the value out", Clip(n.Value))
	case n.Anchor != "":
		d.fail(n.Line, "an anchor (&%s) is not allowed; write the value out where it is needed", Clip(n.Anchor))
	case n.Style&yaml.TaggedStyle != 0:
		d.fail(n.Line, "a tag (%s) is not allowed; write the plain value", Clip(n.Tag))
	default:
		for _, c := range n.Content {
			if !d.plain(c) {
				return false
			}
		}
		return true
	}
	return false
}

func (d *Document) fail(line int, format string, args ...any) {
	if len(d.errs) >= maxErrors {
		d.lost++
		return
	}
	d.add(Error{File: d.file, Line: line, Message: fmt.Sprintf(format, args...)})
}

func (d *Document) add(e Error) {
	if key := e.Error(); !d.told[key] {
		d.told[key] = true
		d.errs = append(d.errs, e)
	}
}

// Present says whether the value is there.
func (v Value) Present() bool { return v.node != nil }

// Empty says whether a key is there and nothing stands behind it.
func (v Value) Empty() bool { return v.node != nil && v.node.ShortTag() == "!!null" }

// Label is what messages call the value: its key, or its place in a list.
func (v Value) Label() string { return v.name }

// Line is the line of the value, 0 where it is absent.
func (v Value) Line() int {
	if v.node == nil {
		return 0
	}
	return v.node.Line
}

// Fail says what is wrong with the value and what would be right.
func (v Value) Fail(format string, args ...any) {
	if v.doc != nil {
		v.doc.fail(v.Line(), format, args...)
	}
}

// NotYet says that the value asks for what this Muster cannot do yet.
func (v Value) NotYet(format string, args ...any) {
	if v.doc != nil && len(v.doc.errs) < maxErrors {
		v.doc.add(Error{v.doc.file, v.Line(), fmt.Sprintf(format, args...), true})
	}
}

// List is the values of a list.
func (v Value) List() []Value {
	if v.node == nil {
		return nil
	}
	if v.node.Kind != yaml.SequenceNode {
		v.Fail("%s is %s; write a list, as in [a, b]", v.name, v.kind())
		return nil
	}
	list := make([]Value, len(v.node.Content))
	for i, n := range v.node.Content {
		list[i] = Value{v.doc, n, "an entry of " + v.name}
	}
	return list
}

// IsList says whether the value is a list.
func (v Value) IsList() bool { return v.node != nil && v.node.Kind == yaml.SequenceNode }

// IsMap says whether the value is a mapping of keys to values.
func (v Value) IsMap() bool { return v.node != nil && v.node.Kind == yaml.MappingNode }

// Each reads every entry of a list.
func Each[T any](v Value, read func(Value) T) []T {
	var all []T
	for _, entry := range v.List() {
		all = append(all, read(entry))
	}
	return all
}

// kind is what a message calls the value's type.
func (v Value) kind() string {
	switch {
	case v.node.Kind == yaml.MappingNode:
		return "a mapping of keys"
	case v.node.Kind == yaml.SequenceNode:
		return "a list"
	case v.node.ShortTag() == "!!null":
		return "empty"
	}
	return Quote(v.node.Value)
}
