package yamlfile

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decode takes the text apart as one YAML document.
func (d *Document) decode(data []byte) (*yaml.Node, bool) {
	in := &lineReader{rest: data}
	dec := yaml.NewDecoder(in)
	var node, second yaml.Node
	if err := dec.Decode(&node); err != nil {
		d.syntax(err, in.line)
		return nil, false
	}
	if len(node.Content) == 0 {
		d.fail(0, "is empty; it needs at least one key")
		return nil, false
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		d.fail(second.Line, "a second document begins here; a file holds one document, so put it into a file of its own")
	case errors.Is(err, io.EOF):
		return node.Content[0], true
	default:
		d.syntax(err, in.line)
	}
	return nil, false
}

// lineReader hands out a line at a time, so that it is known how far the YAML
// parser had come when it gave up: what it says itself is often where the
// broken list or mapping began.
type lineReader struct {
	rest []byte
	line int // lines handed out, in part or whole
	open bool
}

func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	if !r.open {
		r.line++
	}
	n := min(len(p), len(r.rest))
	if end := bytes.IndexByte(r.rest[:n], '\n'); end >= 0 {
		n = end + 1
	}
	r.open = r.rest[n-1] != '\n'
	copy(p, r.rest[:n])
	r.rest = r.rest[n:]
	return n, nil
}

var (
	yamlError = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)`)
	// These are of the file's bytes: the parser names no line of them.
	unplaced = regexp.MustCompile(`UTF-8|control characters|offset`)
	// These come from the parser's second stage: it names the line before the one
	// where the broken list or mapping begins.
	structural = regexp.MustCompile(`^did not find expected (<|node content|key|'-'|',')`)
)

// syntax tells what the YAML parser told; read is how many lines it had taken in.
func (d *Document) syntax(err error, read int) {
	if errors.Is(err, io.EOF) {
		d.fail(0, "is empty; it needs at least one key")
		return
	}
	m := yamlError.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	line, _ := strconv.Atoi(m[1])
	if structural.MatchString(m[2]) {
		begin := line + 1
		d.fail(max(begin, read-1), "is no YAML around here: %s in what begins in line %d; check indentation, brackets and quotes",
			Clip(m[2]), begin)
		return
	}
	if line == 0 && !unplaced.MatchString(m[2]) {
		line = 1 // the parser counts from 0, and leaves out its first line
	}
	d.fail(line, "is no YAML: %s; check indentation, brackets and quotes around here", Clip(m[2]))
}

// parts are the characters that end a word.
var parts = [256]bool{' ': true, '\t': true, '\r': true, '\n': true, ',': true, '[': true, ']': true, '{': true, '}': true}

// longestWord is the longest run without spaces, commas and brackets, and its line.
func longestWord(data []byte) (line int, word []byte) {
	at, begin := 1, 0
	for i := 0; i <= len(data); i++ {
		if i < len(data) && !parts[data[i]] {
			continue
		}
		if i-begin > len(word) {
			line, word = at, data[begin:i]
		}
		if i < len(data) && data[i] == '\n' {
			at++
		}
		begin = i + 1
	}
	return line, word
}
