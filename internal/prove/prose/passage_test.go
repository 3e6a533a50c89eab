package prose

import (
	"fmt"
	"strings"
)

// kind says where prose stands.
type kind int

const (
	document kind = iota // a paragraph or list item of a Markdown file
	cell                 // a heading or a cell of a table
	comment              // a comment
	message              // a string that people may read
)

// A passage is prose without markup, in which every line break is where the file has it.
type passage struct {
	file string
	line int // of its first character
	kind kind
	text string
}

// A fault is something wrong at a place.
type fault struct {
	file string
	line int
	says string
}

func (f fault) String() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.says) }

func (p passage) fault(at int, format string, args ...any) fault {
	return fault{p.file, p.line + strings.Count(p.text[:at], "\n"), fmt.Sprintf(format, args...)}
}

var sprintf = fmt.Sprintf

// passagesOf finds the prose of a file.
func passagesOf(file string, data []byte) ([]passage, error) {
	switch {
	case strings.HasSuffix(file, ".md"):
		return markdown(file, string(data)), nil
	case strings.HasSuffix(file, ".go"):
		return goSource(file, data)
	default: // .proto, .templ, Makefile
		return lineComments(file, string(data)), nil
	}
}

// faultsOf judges a file.
func faultsOf(file string, data []byte) ([]fault, error) {
	passages, err := passagesOf(file, data)
	if err != nil {
		return nil, err
	}
	var found []fault
	if badNames.MatchString(file) {
		found = append(found, fault{file, 1, "is named for a mood; name it for its subject, in the field's terms"})
	}
	for _, p := range passages {
		found = append(found, phrasesIn(p)...)
		found = append(found, tooLong(p)...)
	}
	return append(found, meanTooLong(file, passages)...), nil
}
