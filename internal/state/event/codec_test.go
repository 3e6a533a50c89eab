package event

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// testdata/examples.jsonl holds one record for every version of every event that
// was ever written. Lines are only ever added, never changed: a log that
// people have on disk looks like this.
const examples = "testdata/examples.jsonl"

func readExamples(t testing.TB) [][]byte {
	t.Helper()
	data, err := os.ReadFile(examples)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	scanner := bufio.NewScanner(bytes.NewReader(data))
	for scanner.Scan() {
		lines = append(lines, bytes.Clone(scanner.Bytes()))
	}
	return lines
}

// written is what a line of a log says of itself.
func written(t *testing.T, line []byte) typed {
	t.Helper()
	var in envelope
	if err := json.Unmarshal(line, &in); err != nil || len(in.Events) != 1 {
		t.Fatalf("an example holds one event in one record: %s (%v)", line, err)
	}
	return in.Events[0]
}

func TestEveryEventEverWrittenHasAnExample(t *testing.T) {
	has := map[string]bool{}
	for _, line := range readExamples(t) {
		e := written(t, line)
		has[fmt.Sprint(e.Kind, " ", e.Version)] = true
	}
	for kind, versions := range readers {
		for v := 1; v <= len(versions); v++ {
			if !has[fmt.Sprint(kind, " ", v)] {
				t.Errorf("%s lacks a line for %q version %d: add one, with every field set", examples, kind, v)
			}
		}
	}
}

func TestEveryExampleIsStillRead(t *testing.T) {
	for i, line := range readExamples(t) {
		r, err := Decode(line)
		if err != nil {
			t.Errorf("line %d: %v", i+1, err)
			continue
		}
		if r.Seq != uint64(i+1) || r.At == 0 || r.Actor == "" || r.Reason == "" || r.Key == "" || r.Fingerprint == 0 {
			t.Errorf("line %d: the record is %+v", i+1, r)
		}
		e := written(t, line)
		if r.Events[0].Kind() != e.Kind {
			t.Errorf("line %d: %q was read as %q", i+1, e.Kind, r.Events[0].Kind())
		}
		if e.Version == latest[e.Kind] {
			losesNothing(t, i+1, r, e)
		}
	}
}

// losesNothing asks that what an event of today's version said is said again
// when it is written: fields may have come, none has gone.
func losesNothing(t *testing.T, line int, r Record, was typed) {
	t.Helper()
	data, err := Encode(r)
	if err != nil {
		t.Errorf("line %d: %v", line, err)
		return
	}
	var before, after any
	is := written(t, data)
	_ = json.Unmarshal(was.Data, &before)
	_ = json.Unmarshal(is.Data, &after)
	if is.Kind != was.Kind || is.Version != was.Version || !contains(after, before) {
		t.Errorf("line %d: %s was read and written as %s", line, was.Data, is.Data)
	}
}

// contains says whether everything in part is in whole.
func contains(whole, part any) bool {
	switch p := part.(type) {
	case map[string]any:
		w, ok := whole.(map[string]any)
		for k, v := range p {
			ok = ok && contains(w[k], v)
		}
		return ok
	case []any:
		w, ok := whole.([]any)
		ok = ok && len(w) == len(p)
		for i := 0; ok && i < len(p); i++ {
			ok = contains(w[i], p[i])
		}
		return ok
	}
	return reflect.DeepEqual(whole, part)
}

func TestALogIsNeverHalfUnderstood(t *testing.T) {
	for _, c := range []struct{ name, record, says string }{
		{"an unknown event", `{"seq":7,"at":1,"actor":"a","events":[{"kind":"moon.rose","v":1,"data":{}}]}`, "newer Muster"},
		{"a newer version", `{"seq":7,"at":1,"actor":"a","events":[{"kind":"node.changed","v":99,"data":{}}]}`, "newer Muster"},
		{"version 0", `{"seq":7,"at":1,"actor":"a","events":[{"kind":"node.changed","v":0,"data":{}}]}`, "version 0"},
		{"the wrong type", `{"seq":7,"at":1,"actor":"a","events":[{"kind":"node.changed","v":1,"data":{"dead":"two"}}]}`, "node.changed"},
		{"an unknown priority", `{"seq":7,"at":1,"actor":"a","events":[{"kind":"workload.prioritised","v":1,"data":{"id":1,"priority":"urgent"}}]}`, "urgent"},
		{"half a line", `{"seq":7,"at":1,"actor":"a","events":[{"kind":"node.ch`, "record"},
		{"two records in one", `{"seq":7,"at":1,"actor":"a","events":[]}{"seq":8}`, "record"},
		{"nothing", ``, "record"},
	} {
		if r, err := Decode([]byte(c.record)); err == nil {
			t.Errorf("%s was read as %+v", c.name, r)
		} else if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the message %q does not say %q", c.name, err, c.says)
		}
	}
}

// FuzzDecode: no bytes make Decode panic, and what it reads it writes and reads
// again as the same.
func FuzzDecode(f *testing.F) {
	for _, line := range readExamples(f) {
		f.Add(line)
	}
	f.Add([]byte(`{"seq":1,"events":[{"kind":"replicas.placed","v":1,"data":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(data)
		if err != nil {
			return
		}
		once, err := Encode(r)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := Decode(once)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if twice, _ := Encode(again); !bytes.Equal(once, twice) {
			t.Fatalf("a record changes as it is copied:\n%s\n%s", once, twice)
		}
	})
}
