package words

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/state/event"
)

func nameless(uint64) string { return "" }

// Every kind of event there is has a sentence of its own.
func TestEveryKindHasASentence(t *testing.T) {
	for _, kind := range event.Kinds() {
		told := Tell(kind, "{}", nameless)
		if told == raw("{}") {
			t.Errorf("%s is told by its keys and values", kind)
		}
		if told.Says == "" || strings.Contains(told.Says, "%!") {
			t.Errorf("%s says %q", kind, told.Says)
		}
	}
}

// What the log has ever held is told without a key or a brace of its data.
func TestOldRecordsAreTold(t *testing.T) {
	files, err := filepath.Glob("../../state/event/testdata/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no records of old", err)
	}
	seen := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			r, err := event.Decode([]byte(line))
			if err != nil {
				continue // not a record
			}
			for _, e := range r.Events {
				for _, tell := range tellers {
					told, ok := tell(e, nameless)
					if !ok {
						continue
					}
					seen++
					if strings.ContainsAny(told.Says, "{}=") || strings.Contains(told.Says, "%!") {
						t.Errorf("%s: %q", e.Kind(), told.Says)
					}
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d events were told", seen)
	}
}

func TestSentences(t *testing.T) {
	names := func(id uint64) string { return map[uint64]string{7: "oak/base", 8: "elm/eval"}[id] }
	for _, one := range []struct{ kind, data, about, says string }{
		{"workload.submitted", `{"id":7,"spec":{"name":"base","namespace":"oak","target":"research/oak","priority":"high","pools":[{"name":"t","gpus":8,"min":16,"max":16}],"maxRuntime":7200000000000}}`, "oak/base", "asks research/oak for 16x8 with priority high, for at most 2h"},
		{"workload.submitted", `{"id":7,"spec":{"name":"base","namespace":"oak","target":"flex","priority":"mid","pools":[{"name":"t","gpus":8,"min":2,"max":2}],"author":"ada@example.com"}}`, "oak/base", "asks flex for 2x8 with priority mid, made by ada@example.com"},
		{"replicas.placed", `{"id":7,"partition":"tiger/h200","spots":[{"pool":0,"nodes":[1,2]}],"holds":1}`, "oak/base", "starts 2 replicas in tiger/h200, guaranteed"},
		{"replicas.evicted", `{"id":8,"whole":true,"until":0,"for":7,"class":"flex"}`, "elm/eval", "must leave, until 00:00:00, for oak/base (this work is on flex)"},
		{"node.changed", `{"partition":"tiger/h200","node":"n1","from":"healthy","to":"quarantined","signal":"XID 79","owner":"automatic"}`, "n1", "goes from healthy to quarantined, by automation: XID 79"},
		{"grant.transferred", `{"from":"a/b","to":"a/c","partition":"tiger/h200","gpus":8}`, "a/b", "gives 8 GPUs of tiger/h200 to a/c"},
		{"grant.set", `{"quota":"a/b","partition":"tiger/h200","gpus":64,"was":32,"gang":32}`, "a/b", "is granted 64 GPUs of tiger/h200 (was 32), with a gang of 32"},
		{"some.day", `{"b":1,"a":"x","quota":"u"}`, "u", "a x, b 1"},
	} {
		if got := Tell(one.kind, one.data, names); got.About != one.about || got.Says != one.says {
			t.Errorf("%s: %q %q, want %q %q", one.kind, got.About, got.Says, one.about, one.says)
		}
	}
	if ids := Mentions("replicas.evicted", `{"id":8,"whole":true,"until":0,"for":7}`); len(ids) != 2 {
		t.Errorf("mentions %v", ids)
	}
}
