package web_test

import (
	"html"
	"net/http"
	"strings"
	"testing"
)

// A state that no node has is told as wrong, and nothing is said of nodes in it.
func TestAStateThatNoNodeHasIsRefused(t *testing.T) {
	h := open(t, nil)
	code, body := h.get("/nodes?states=broken")
	if code != http.StatusBadRequest || !strings.Contains(html.UnescapeString(body), `"broken" is not a state of a node; write healthy, `) {
		t.Errorf("the answer is %d:\n%s", code, body)
	}
	if strings.Contains(body, "No node failed") {
		t.Error("the page says what it does not know")
	}
	if code, _ := h.get("/nodes?states=quarantined"); code != http.StatusOK {
		t.Errorf("a state that there is gives %d", code)
	}
}
