package bench

import (
	"strings"
	"testing"
)

var told = Report{Bench: "kai-fill", Recipe: "fill it", Figures: []Figure{
	aimed(against(Figure{Name: "a | b", Value: 100, Unit: "ms"}, kaiPeer(398)), "≤ 1 s", true),
	aimed(Figure{Name: "late", Value: 2, Unit: "s"}, "≤ 1 s", false),
}, Remarks: []string{"Said\nso."}}

func TestAReportReadsAsATable(t *testing.T) {
	text := Markdown([]Report{told})
	for _, want := range []string{
		"### kai-fill", "fill it.", `| a \| b | 100 ms | KAI: 398 s | 3980 (peer's ÷ ours) | ≤ 1 s | reached |`,
		"| late | 2 s |  |  | ≤ 1 s | **not reached** |", "Said so.", "Source: KAI-Scheduler",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestWhatPeopleWroteStays(t *testing.T) {
	doc := "# Ours\n\n" + Markdown([]Report{told, {Bench: "other", Recipe: "stays"}}) + "\nThe end.\n"
	again := told
	again.Recipe = "fill it again"
	out, err := Into(doc, []Report{again, {Bench: "new"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(doc, "fill it.", "fill it again.", 1); strings.Replace(out, "\n"+Report{Bench: "new"}.markdown(), "", 1) != want {
		t.Errorf("it reads\n%s\nwant, but for the new bench,\n%s", out, want)
	}
	if !strings.Contains(out, "### new") || !strings.HasSuffix(out, "\nThe end.\n") {
		t.Errorf("it reads\n%s", out)
	}
	if same, err := Into(out, []Report{again, {Bench: "new"}}); err != nil || same != out {
		t.Errorf("a second time it is not the same: %v", err)
	}
}

func TestADocumentWithoutAPlaceIsRefused(t *testing.T) {
	for _, doc := range []string{"# Ours\n", partsEnd + "\n" + partsBegin, partsBegin + "\n" + partBegin("kai-fill") + "\n" + partsEnd} {
		if out, err := Into(doc, []Report{told}); err == nil {
			t.Errorf("%q became %q", doc, out)
		}
	}
}
