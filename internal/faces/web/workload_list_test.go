package web_test

import (
	"regexp"
	"testing"
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
