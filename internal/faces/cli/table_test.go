package cli

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

var noon = clock{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), zone: time.UTC}

func noonNow() time.Time { return noon.now }

func shown(t *table, wide bool) string {
	var b bytes.Buffer
	t.show(&b, false, noon, wide)
	return b.String()
}

func TestATableAlignsNumbersAndLeavesOutWhatIsEmpty(t *testing.T) {
	tab := newTable("nothing", column{head: "QUOTA"}, column{head: "BACKED", right: true}, column{head: "LENT", right: true, spare: true},
		column{head: "SINCE"}, column{head: "ISLANDS", wide: true})
	tab.add("research/oak", int32(1352), int32(0), timestamppb.New(noon.now.Add(-time.Hour)), "i1")
	tab.add("elm", int32(0), int32(0), timestamppb.New(noon.now.Add(-48*time.Hour)), "i2")
	tab.hide("research", int32(0), int32(0), nil, "")
	want := `
QUOTA         BACKED  SINCE
research/oak   1,352  11:00:00
elm                -  2026-11-19 12:00
`[1:]
	if got := shown(tab, false); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := shown(tab, true); !strings.Contains(got, "ISLANDS") {
		t.Errorf("-o wide has no ISLANDS:\n%s", got)
	}
}

func TestATableFitsAHundredColumns(t *testing.T) {
	tab := newTable("", column{head: "JOB", name: true}, column{head: "TARGET", name: true}, column{head: "WHY", cut: true}, column{head: "GPUS", right: true})
	tab.add(strings.Repeat("j", 70), "research/"+strings.Repeat("q", 70)+"/oak", strings.Repeat("w", 70), int32(8))
	for _, line := range strings.Split(shown(tab, false), "\n") {
		if n := utf8.RuneCountInString(line); n > widest {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if got := shown(tab, false); strings.Count(got, "j") != 70 || strings.Count(got, "q") != 70 || !strings.Contains(got, "oak") {
		t.Errorf("a name lost a part:\n%s", got)
	}
	if got := shown(tab, true); strings.Contains(got, "…") {
		t.Errorf("-o wide cuts:\n%s", got)
	}
}

func TestWhatPeopleWriteCannotSteerTheTerminal(t *testing.T) {
	tab := newTable("", column{head: "WHY"})
	tab.add("evil\x1b[2J\nline")
	if got := shown(tab, false); strings.ContainsAny(got, "\x1b") || strings.Count(got, "\n") != 2 {
		t.Errorf("got %q", got)
	}
}

// A cell that a spreadsheet would reckon with is text there.
func TestNoCellOfACSVIsAFormula(t *testing.T) {
	tab := newTable("", column{head: "WHY"})
	for _, text := range []string{"=1+1", "+1+1", "-1+cmd", "@SUM(A1)", "\t=1", "\r=1"} {
		tab.add(text)
	}
	var b bytes.Buffer
	if err := tab.csv(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 7 {
		t.Fatalf("%q, %v", rows, err)
	}
	for _, row := range rows[1:] {
		if strings.ContainsAny(row[0][:1], "=+-@\t\r") {
			t.Errorf("a cell is %q", row[0])
		}
	}
}

func TestCSVHasEveryColumnInPlainValues(t *testing.T) {
	tab := newTable("", column{head: "QUOTA"}, column{head: "FLEX USED", right: true, spare: true}, column{head: "SINCE", wide: true}, column{head: "AGE"})
	tab.hide("a,b", int32(1352), timestamppb.New(noon.now), 90*time.Second)
	var b bytes.Buffer
	if err := tab.csv(&b); err != nil {
		t.Fatal(err)
	}
	if want := "quota,flex_used,since,age\n\"a,b\",1352,2026-11-21T12:00:00Z,90\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestLengthsOfTimeHaveTwoUnitsAtMost(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59 * time.Second: "59s", 61 * time.Second: "1m1s", 10*time.Minute + time.Second: "10m", time.Hour: "1h",
		3*time.Hour + 5*time.Minute: "3h5m", 24 * time.Hour: "24h", 52 * time.Hour: "2d4h", -time.Minute: "in 1m",
	} {
		if got := short(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestABarShowsWhatIsNotNothing(t *testing.T) {
	for _, c := range []struct {
		n, all int32
		want   int
	}{{0, 832, 0}, {1, 832, 1}, {416, 832, 25}, {832, 832, 50}, {900, 832, 50}, {5, 0, 0}} {
		if got := strings.Count(bar(c.n, c.all, 50), "█"); got != c.want {
			t.Errorf("%d of %d fills %d of 50, want %d", c.n, c.all, got, c.want)
		}
	}
}

// Nodes of several islands end alike: texts give way before a name does.
func TestNamesOfNodesKeepWhatTellsThemApart(t *testing.T) {
	tab := newTable("", column{head: "NODE", name: true}, column{head: "CHECK", cut: true}, column{head: "RULE", cut: true})
	for _, partition := range []string{"tiger-h200", "tiger-b200", "lynx-h100"} {
		tab.add(partition+"-i1-001", strings.Repeat("c", 90), strings.Repeat("r", 90))
	}
	for _, name := range []string{"tiger-h200-i1-001", "tiger-b200-i1-001", "lynx-h100-i1-001"} {
		if got := shown(tab, false); !strings.Contains(got, name) {
			t.Errorf("%s is not in\n%s", name, got)
		}
	}
}

func TestAFoldedColumnLosesNothing(t *testing.T) {
	tab := newTable("", column{head: "NODE", name: true}, column{head: "SINCE"}, column{head: "SIGNAL", folds: true}, column{head: "N", right: true})
	tab.add(strings.Repeat("n", 60), "12:00:00", "NVLinkStatusInactive 74 on GPU 3 (node-problem-detector)", int32(7))
	tab.add("short", "13:00:00", "b", mark{"ok", good})
	got := shown(tab, false)
	for _, line := range []string{
		strings.Repeat("n", 60) + "  12:00:00  NVLinkStatusInactive 74    7", strings.Repeat(" ", 72) + "on GPU 3",
		strings.Repeat(" ", 72) + "(node-problem-detector)", "short" + strings.Repeat(" ", 57) + "13:00:00  b                         ok",
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("%q is no line of\n%s", line, got)
		}
	}
	if got := fold("abcdefgh ij", 3, false); strings.Join(got, "|") != "abc|def|gh|ij" {
		t.Errorf("folded as %q", got)
	}
	if got := fold("research/pretraining/oak", 16, false); strings.Join(got, "|") != "research/|pretraining/oak" {
		t.Errorf("a path folds into %q", got)
	}
	if got := fold("", 3, false); len(got) != 1 {
		t.Errorf("nothing is folded as %q", got)
	}
}

// What is wide gives way where it costs least: a head of several words first, then prose, then a moment
// between its day and its time. No word breaks while there is room for it.
func TestATableBreaksBetweenPartsOfWords(t *testing.T) {
	tab := newTable("", column{head: "WHEN"}, column{head: "WHERE", name: true}, column{head: "PROMISED NODES", right: true}, column{head: "WHOLE NODES", right: true},
		column{head: "BROKEN BY", folds: true}, column{head: "STATE"}, column{head: "CAUSE", folds: true})
	tab.add(timestamppb.New(noon.now.Add(-48*time.Hour)), "tiger/h200/i1", int32(8), int32(7),
		"tiger-h200-infiniband-001..004,tiger-h200-infiniband-017", "quarantined", "SysLogsXIDError 79 on GPU 3")
	got := shown(tab, false)
	for line := range strings.SplitSeq(got, "\n") {
		if n := utf8.RuneCountInString(line); n > widest {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, whole := range []string{"tiger/h200/i1", "001..004,", "quarantined", "SysLogsXIDError", "PROMISED", "2026-11-19"} {
		if !strings.Contains(got, whole) {
			t.Errorf("%q is broken:\n%s", whole, got)
		}
	}
}

// Only a word that is wider than its column by itself breaks inside, and there at a sign that is no letter.
func TestAWordThatIsTooWideBreaksAtASign(t *testing.T) {
	for text, want := range map[string]string{
		"research/a,research/b": "research/|a,|research/b",
		"one,two,three":         "one,two,|three",
		"ada.lovelace":          "ada.|lovelace",
		"abcdefghijkl":          "abcdefghij|kl",
	} {
		if got := strings.Join(fold(text, 10, false), "|"); got != want {
			t.Errorf("%q folds into %q, want %q", text, got, want)
		}
	}
}

// Wide letters take two columns, and signs that stand on others none.
func TestWideLettersKeepColumnsStraight(t *testing.T) {
	for text, want := range map[string]int{"oak": 3, "日本語": 6, "é": 1, "e\u0301": 1, "🚀": 2, "\x1b[31m日\x1b[0m": 2, "…": 1, "█": 1} {
		if got := columns(text); got != want {
			t.Errorf("%q takes %d columns, not %d", text, got, want)
		}
	}
	tab := newTable("", column{head: "OWNER"}, column{head: "NOTE", cut: true}, column{head: "GPUS", right: true})
	tab.add("山田", "🚀🚀", int32(8))
	tab.add("ada", strings.Repeat("訓練", 40), int32(16))
	for line := range strings.SplitSeq(strings.TrimSpace(shown(tab, false)), "\n") {
		if n := columns(line); n != widest {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// What a program reads has its names whole, however wide the table is then. A list may go on after an entry.
func TestNamesAreWholeWhereAProgramReads(t *testing.T) {
	tab := newTable("", column{head: "JOB", name: true}, column{head: "WHERE", name: true}, column{head: "NODES", folds: true}, column{head: "GPUS", right: true})
	names := []string{"oak/" + strings.Repeat("pretrain-", 7), "tiger/h200/" + strings.Repeat("i-", 20), "tiger-h200-infiniband-001..004,", "tiger-h200-infiniband-017"}
	tab.add(names[0], names[1], names[2]+names[3], int32(8))
	if got := shown(tab, false); strings.Contains(got, names[0]) {
		t.Errorf("the table is narrow enough as it is:\n%s", got)
	}
	tab.whole = true
	got := shown(tab, false)
	for _, name := range names {
		if !strings.Contains(got, name) {
			t.Errorf("%q is broken:\n%s", name, got)
		}
	}
}

// A note stands under its row where names or numbers would have no room beside it.
func TestANoteStandsUnderItsRow(t *testing.T) {
	figures := func(n int32) *musterv1.Figures {
		return &musterv1.Figures{Installed: n, Healthy: n, Promisable: n, Assigned: n, Backed: n, Scheduled: n, Borrowed: n, Over: n, Flex: n, FlexUsed: n, GangsUnbacked: 1}
	}
	got := shown(capacityTable(&musterv1.CapacityResponse{Partitions: []*musterv1.PartitionCapacity{{Partition: "tiger/h200", Figures: figures(352)}}}), false)
	for line := range strings.SplitSeq(got, "\n") {
		if n := columns(line); n > widest {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(got, "\ntiger/h200 ") || !strings.Contains(got, "\n    1 gang unbacked\n") {
		t.Errorf("the row is broken:\n%s", got)
	}
}

// Where the name of a partition would break, the last columns stand under their row instead, in words.
func TestANameIsWholeBeforeEveryColumnStandsBesideIt(t *testing.T) {
	many := &musterv1.Figures{Installed: 100_352, Healthy: 100_352, Promisable: 100_352, Assigned: 100_352, Backed: 100_352, Scheduled: 100_352, Borrowed: 12_000, Over: 8_000, Flex: 100_352, FlexUsed: 90_000}
	few := &musterv1.Figures{Installed: 8, Healthy: 8, Flex: 8}
	got := shown(capacityTable(&musterv1.CapacityResponse{Partitions: []*musterv1.PartitionCapacity{
		{Partition: "tiger-westcentral/h200", Figures: many, Incidents: []string{"sev-1"}}, {Partition: "lynx/h100", Figures: few},
	}}), false)
	for line := range strings.SplitSeq(got, "\n") {
		if n := columns(line); n > widest {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(got, "\ntiger-westcentral/h200 ") || !strings.Contains(got, "\n    12,000 borrowed, 8,000 over (cut), 90,000 of flex used, sev-1\n") {
		t.Errorf("the row is broken:\n%s", got)
	}
	if strings.Count(got, "\n    ") != 1 {
		t.Errorf("a row that has nothing to say besides says something:\n%s", got)
	}
}

// A moment in a text of the server is said as all others are.
func TestAMomentInATextOfTheServerIsSaidAsAllOthers(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	for said, want := range map[string]string{
		"OPEN in a/b since Sat 2026-11-21 11:13Z: x":     "OPEN in a/b since 12:13: x",
		"BURST in a/b since Sat 2026-11-21 11:13:42Z: x": "BURST in a/b since 12:13:42: x",
		"cut since 2026-11-19 23:30Z: y":                 "cut since 2026-11-20 00:30: y",
		"no moment in 2026-11-19":                        "no moment in 2026-11-19",
	} {
		if got := (clock{now: noon.now, zone: berlin}).inZone(said); got != want {
			t.Errorf("%q is said as %q, want %q", said, got, want)
		}
	}
}
