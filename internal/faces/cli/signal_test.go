package cli

import (
	"strings"
	"testing"
)

// FuzzParseSignals: no file makes it panic; what is wrong is said with its place,
// and what is read is at least one signal.
func FuzzParseSignals(f *testing.F) {
	f.Add([]byte(`{"nodeName": "n", "agent": "a", "checkName": "c", "generatedTimestamp": "2026-01-01T00:00:00Z"}`))
	f.Add([]byte(`[{"nodeName": "n", "errorCodes": ["79"], "entitiesImpacted": [{"type": "GPU", "value": "3"}]}, {}]`))
	f.Add([]byte(`{"nodeName": "n"} {"moon": 1}`))
	f.Add([]byte(`[`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseSignals("signals.jsonl", data)
		if err == nil && len(list) == 0 {
			t.Error("nothing was read, and nothing said")
		}
		if err != nil && !strings.Contains(err.Error(), "signals.jsonl") {
			t.Errorf("the message does not name the file: %v", err)
		}
	})
}
