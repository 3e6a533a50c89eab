package core_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
)

var update = flag.Bool("update", false, "write docs/refusals.md anew")

// docs/refusals.md is made of the list of codes.
func TestTheDocumentListsEveryCode(t *testing.T) {
	const path = "../../../docs/refusals.md"
	if *update {
		if err := os.WriteFile(path, []byte(page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if has, _ := os.ReadFile(path); string(has) != page() {
		t.Error("docs/refusals.md is not what the list of codes says; write it with: go test ./internal/decide/core -run TheDocumentListsEveryCode -update")
	}
}

// Every code has one row, and every row says what it means and what to do.
func TestEveryCodeHasOneMeaning(t *testing.T) {
	codes, meanings := map[core.Code]bool{}, map[string]bool{}
	for _, r := range core.Codes() {
		if codes[r.Code] || meanings[r.Means] || r.Means == "" || r.Do == "" || r.Class == "" {
			t.Errorf("%+v is there twice, or says too little", r)
		}
		codes[r.Code], meanings[r.Means] = true, true
	}
	if core.ClassOf("Nothing") != "" {
		t.Error("a code that is not there has a class")
	}
}

// protocol is what the API and the command line make of a class: the protocol's code,
// its HTTP status, and the exit code.
var protocol = map[core.Class]string{
	core.Denied:  "`permission_denied` | 403 | 4",
	core.Absent:  "`not_found` | 404 | 1",
	core.Taken:   "`already_exists` | 409 | 1",
	core.Input:   "`invalid_argument` | 400 | 1, or 2 where a field is named",
	core.Barred:  "`failed_precondition` | 400 | 1",
	core.Changed: "`aborted` | 409 | 5",
}

func page() string {
	var b strings.Builder
	b.WriteString(`# Refusals

A command that cannot be done is refused: nothing has changed. A refusal has a code, a message, and the figures behind it.
The code is stable: scripts compare it. The message is for people, and may change.

In the API a refusal is the detail ` + "`muster.v1.Refusal`" + ` of the error. The command line prints code and message.
A test writes this page from the list in ` + "`internal/decide/core/code.go`" + `.

| code | what is wrong | what to do |
| --- | --- | --- |
`)
	classes, members := []core.Class{}, map[core.Class][]string{}
	for _, r := range core.Codes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Code, r.Means, r.Do)
		if members[r.Class] == nil {
			classes = append(classes, r.Class)
		}
		members[r.Class] = append(members[r.Class], "`"+string(r.Code)+"`")
	}
	b.WriteString("\nThe codes of the protocol follow from them:\n\n| codes | protocol | HTTP | exit code |\n| --- | --- | --- | --- |\n")
	for _, c := range classes {
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(members[c], ", "), protocol[c])
	}
	return b.String()
}
