package web_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/faces/web"
)

// pageLists are the lists of pages besides everyPage, the files in which they stand, and the
// pages that each leaves out, with why. A new page stands in every list, or here.
var pageLists = []struct {
	does  string
	files []string
	out   map[string]string
}{
	{
		does: "are looked at in a browser", files: []string{"e2e/pages.mjs", "e2e/lived.mjs"},
		out: map[string]string{"/incident/{name}": "steps of lived.mjs open it", "/promise/broken": "it is a section of /promise by itself"},
	},
	{
		does: "are timed in a browser", files: []string{"e2e/rendered.mjs"}, out: untimed(map[string]string{}),
	},
	{
		does: "stay open for an hour", files: []string{"e2e/hour.mjs"}, out: untimed(map[string]string{"/coming": nothingPlanned}),
	},
	{
		does: "are timed by muster bench", files: []string{"../../prove/bench/pages.go"}, out: untimed(map[string]string{"/coming": nothingPlanned}),
	},
	{
		does: "are small in a large fleet", files: []string{"large_test.go"},
		out: map[string]string{
			"/promise/broken/{record}": "no promise is judged in the minutes of that fleet; lived.mjs opens one",
			"/zone/{name}":             "a zone over such a rollout was not answered within a minute there",
		},
	},
	{
		does: "are opened by the crowd of muster siege", files: []string{"../../prove/siege/crowd.go"},
		out: untimed(map[string]string{
			"/coming": nothingPlanned, "/run": onePage, "/workload/{namespace}/{name}": onePage, "/team/{path...}": onePage, "/haircuts": onePage, "/node/{name}": onePage,
		}),
	},
}

// onePage is why a page is not among those that a crowd keeps open.
const onePage = "people look at it once, and keep others open"

const nothingPlanned = "nothing is planned in that fleet"

// untimed are pages that no large fleet makes large, and those that the fleets of the
// timed lists do not have.
func untimed(more map[string]string) map[string]string {
	for _, pattern := range []string{"/build-out", "/build-out/{cluster}", "/cloud-quota"} {
		more[pattern] = "no cluster is built in that fleet"
	}
	for _, pattern := range []string{"/haircut/{name}", "/haircut/{name}/{step}", "/shadow/{cluster}", "/promise/broken", "/promise/broken/{record}", "/incidents", "/incident/{name}", "/maintenance", "/rollout/{name}", "/zone/{name}", "/drift"} {
		more[pattern] = "that fleet has none"
	}
	for _, pattern := range []string{"/sessions", "/style", "/words", "/do/{action}"} {
		more[pattern] = "it does not grow with the fleet"
	}
	return more
}

var (
	pagesBlock = regexp.MustCompile(`(?s)(const pages = \[|return \[\]pageToOpen\{|var \w*[pP]ages = \[\]string\{)(.*?)\n\t?[\]}]`)
	address    = regexp.MustCompile("['\"`](/[^'\"`?]*)")
)

// opened are the addresses in the lists of a file, without what follows from data.
func opened(t *testing.T, file string) (list []string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := pagesBlock.FindAllSubmatch(text, -1)
	if blocks == nil {
		t.Fatalf("%s has no list of pages", file)
	}
	for _, block := range blocks {
		for _, m := range address.FindAllSubmatch(block[2], -1) {
			list = append(list, string(m[1]))
		}
	}
	return list
}

// opens says whether one of the addresses is a page of this pattern.
func opens(pattern string, addresses []string) bool {
	prefix, _, parameters := strings.Cut(strings.TrimSuffix(pattern, "{$}"), "{")
	for _, address := range addresses {
		if address == prefix || parameters && strings.HasPrefix(address, prefix) {
			return true
		}
	}
	return false
}

// Every page stands in each list of pages, or the table says why not: a browser opens and
// times only those that are listed.
func TestNoListOfPagesLeavesOneOut(t *testing.T) {
	for _, list := range pageLists {
		var addresses []string
		for _, file := range list.files {
			addresses = append(addresses, opened(t, file)...)
		}
		for _, pattern := range web.Patterns() {
			if strings.HasPrefix(pattern, "/part/") || strings.HasPrefix(pattern, "/workload/{namespace}/{name}/") {
				continue // a part of a page
			}
			if in, out := opens(pattern, addresses), list.out[pattern] != ""; in == out {
				t.Errorf("%s: of the pages that %s it is one: %v; pageLists leaves it out: %v", pattern, list.does, in, out)
			}
		}
	}
}

// withoutRow are the pages of which docs/pages.md has no row of their own, and where it tells of them.
var withoutRow = map[string]string{
	"/style": "in the sentence below the table", "/words": "in the sentence below the table",
	"/do/{action}": "under Writes",
}

var rowOfPage = regexp.MustCompile(`(?m)^\| [^|]*\|`)

// The document of the pages has a row for each page: `/node/NAME` for /node/{name}.
func TestTheDocumentHasARowForEachPage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/pages.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Join(rowOfPage.FindAllString(string(text), -1), "\n")
	for _, pattern := range web.Patterns() {
		if strings.HasPrefix(pattern, "/part/") || strings.HasPrefix(pattern, "/workload/{namespace}/{name}/") {
			continue // a part of a page
		}
		prefix, _, _ := strings.Cut(pattern, "{")
		row := strings.Contains(rows, "`"+prefix) && (prefix != pattern || strings.Contains(rows, "`"+prefix+"`"))
		if pattern == "/{$}" {
			row = strings.Contains(rows, "`/`")
		}
		if out := withoutRow[pattern] != ""; row == out {
			t.Errorf("docs/pages.md has a row for %s: %v; withoutRow names it: %v", pattern, row, out)
		}
	}
}

// A filter that names what nothing has leaves the page of workloads with its filters, and says which name it is: a page that
// is open may be the first to show work there.
func TestAFilterForAnUnknownNameKeepsThePage(t *testing.T) {
	h := open(t, nil).furnish()
	for _, filter := range []string{"namespace=new", "target=research/oka", "partition=tiger/h20"} {
		code, page := h.get("/workloads?" + filter)
		if code != http.StatusOK {
			t.Fatalf("%s: %d", filter, code)
		}
		_, name, _ := strings.Cut(filter, "=")
		has(t, page, "No workload matches: ", name, `<input name="user"`)
	}
}
