package event

import (
	"reflect"
	"strings"
	"testing"
)

// A reader that follows workloads through the log asks Workload; a new kind of event
// that it forgets would be missed by all of them.
func TestEveryEventOfAWorkloadSaysWhose(t *testing.T) {
	ofOthers := []string{"hold.", "request.", "haircut.", "subscription.", "proposal."}
	for kind, versions := range readers {
		e, err := versions[len(versions)-1]([]byte(`{"id":7}`))
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		id := reflect.ValueOf(e).FieldByName("ID")
		want := uint64(0)
		if id.IsValid() && id.Kind() == reflect.Uint64 && !hasAnyPrefix(kind, ofOthers) {
			want = 7
		}
		if got := Workload(e); got != want {
			t.Errorf("%s: is about workload %d, want %d", kind, got, want)
		}
	}
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
