package event

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// testdata/shapes.txt says of every version of every event which fields it was written with, as a
// checksum. Lines are only ever added: an event whose fields change gets a new version in registry.go, so that
// an earlier Muster refuses what it would only half understand.
const shapesFile = "testdata/shapes.txt"

// shape names all that a type writes.
func shape(t reflect.Type, open []reflect.Type) string {
	if slices.Contains(open, t) {
		return "itself"
	}
	open = append(open, t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return t.Kind().String() + " of " + shape(t.Elem(), open)
	case reflect.Map:
		return "map of " + shape(t.Key(), open) + " to " + shape(t.Elem(), open)
	case reflect.Struct:
		var fields []string
		for f := range t.Fields() {
			if name := f.Tag.Get("json"); f.IsExported() && name != "-" {
				fields = append(fields, f.Name+" "+name+" "+shape(f.Type, open))
			}
		}
		slices.Sort(fields)
		return "{" + strings.Join(fields, "; ") + "}"
	default:
		return t.Kind().String()
	}
}

func TestAnEventWhoseFieldsChangeHasANewVersion(t *testing.T) {
	known := map[string]string{}
	if data, err := os.ReadFile(shapesFile); err == nil {
		for lines := bufio.NewScanner(strings.NewReader(string(data))); lines.Scan(); {
			name, sum, _ := strings.Cut(lines.Text(), ": ")
			known[name] = sum
		}
	}
	var missing []string
	for kind, versions := range readers {
		e, err := versions[len(versions)-1]([]byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(shape(reflect.TypeOf(e), nil)))
		name, is := fmt.Sprint(kind, " ", len(versions)), hex.EncodeToString(sum[:6])
		switch was, ok := known[name]; {
		case !ok:
			missing = append(missing, name+": "+is)
		case was != is:
			t.Errorf("the fields of %s have changed: give it a new version in registry.go, an example in %s and a line in %s", name, examples, shapesFile)
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		t.Errorf("%s lacks lines; add:\n%s", shapesFile, strings.Join(missing, "\n"))
	}
}
