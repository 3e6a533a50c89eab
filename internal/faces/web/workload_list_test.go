package web_test

import (
	"regexp"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// On a narrow screen the heads of columns are not seen: each cell of a workload says what it is, or work on flex reads "flex flex".
func TestCellsOfWorkloadsSayWhatTheyAre(t *testing.T) {
	h := open(t, nil).furnish()
	_, body := h.get("/workloads")
	row := regexp.MustCompile(`(?s)<tr id="w.*?</tr>`).FindString(body)
	for i, cell := range regexp.MustCompile(`<td[^>]*>`).FindAllString(row, -1) {
		if label := regexp.MustCompile(`data-label="[^"]`); i > 0 && cell != `<td class="n">` && !label.MatchString(cell) {
			t.Errorf("cell %d, %s, has no label in\n%s", i, cell, row)
		}
	}
	for _, want := range []string{`data-label="holds"`, `data-label="reason"`, `data-label="target"`, `data-label="asks for"`, `data-label="priority"`, `data-label="submitted"`} {
		has(t, body, want)
	}
}

// The first of flex is the first of its namespace: other namespaces' work may be ahead, as the command line says, too.
func TestAWorkloadSaysWhoseQueueItIsFirstOf(t *testing.T) {
	h := open(t, nil).furnish()
	for _, namespace := range []string{"elm", "fir"} {
		one := spec("next", 8)
		one.Namespace, one.Target = namespace, fleet.Flex
		h.do(core.Submit{Spec: one})
	}
	_, body := h.get("/workload/fir/next")
	has(t, body, "Waits for flex", ", number 1 of its namespace. Reason: FlexFull.")
	_, body = h.get("/workload/oak/moonshot")
	has(t, body, ", number 1 in its queue. Reason: GangTooLarge.")
}
