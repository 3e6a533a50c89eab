package cli

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

func TestMomentsAreDatesOrHowLongAgo(t *testing.T) {
	env := &Env{Now: func() time.Time { return noon.now }, Zone: time.UTC}
	for text, want := range map[string]time.Time{
		"2h":                        noon.now.Add(-2 * time.Hour),
		"1d12h":                     noon.now.Add(-36 * time.Hour),
		"yesterday":                 time.Date(2026, 11, noon.now.Day()-1, 0, 0, 0, 0, time.UTC),
		"2026-11-20":                time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC),
		"2026-11-20T08:30:00+01:00": time.Date(2026, 11, 20, 7, 30, 0, 0, time.UTC),
	} {
		m := moment{env: env}
		if err := m.Set(text); err != nil || !m.at.Equal(want) {
			t.Errorf("%s is %v (%v), want %v", text, m.at, err, want)
		}
	}
	ahead := moment{env: env, ahead: true}
	if err := ahead.Set("7d"); err != nil || !ahead.at.Equal(noon.now.Add(168*time.Hour)) {
		t.Errorf("7d ahead is %v (%v)", ahead.at, err)
	}
	for text, says := range map[string]string{
		"yesterday":   `"yesterday" is past (Fri 2026-11-20 00:00Z); write it as in friday`,
		"today":       `"today" has begun; 'today 18:00' is still to come; write it as in friday`,
		"2026-13-01":  `"2026-13-01" has month 13, and a year has 12; write it as in friday`,
		"next friday": `"next friday" may be read in two ways; friday alone is the next day of that name; write it as in friday`,
		"9999999h":    `"9999999h" is too far; a hundred years is the most; write it as in friday`,
		"soon":        `"soon" could not be read as a moment; write it as in friday`,
	} {
		if err := (&moment{env: env, ahead: true}).Set(text); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%s: %v\nwant %s", text, err, says)
		}
	}
	for _, text := range []string{"", "soon", "-2h", "2026-13-01", "12"} {
		if err := (&moment{env: env}).Set(text); exitCode(err) != ExitUsage {
			t.Errorf("%q: %v, want a usage error", text, err)
		}
	}
}

// A command line that cannot be read is told what would be right, before a server is asked.
func TestAWrongCommandLineSaysWhatWouldBeRight(t *testing.T) {
	for line, says := range map[string]string{
		"haircut tell":                          "needs the name of a saved haircut, and maybe a cluster; muster haircut list shows those there are",
		"incident open":                         "needs the name of an incident\n",
		"haircut plan tiger,lynx":               `"tiger,lynx" names several; a plan is over one cluster or partition (muster haircut plan tiger)`,
		"nodes --limit -1":                      "--limit -1; write a whole number, or 0 for all",
		"node list --limit -1":                  "--limit -1; write a whole number, or 0 for all",
		"job list --ns oak":                     "unknown flag: --ns; did you mean --namespace?",
		"job list --follow":                     "unknown flag: --follow; did you mean --watch?",
		"job list --json":                       "unknown flag: --json; did you mean --output?",
		"undo --user ada":                       "unknown flag: --user; did you mean --who?",
		"quota list --gang 8":                   "unknown flag: --gang; muster quota grant has it",
		"node drain a-010..001":                 `"a-010..001" goes from the last to the first; write a-001..010`,
		"node cordon a-010..a-001":              `"a-010..a-001" goes from the last to the first; write a-001..010`,
		"quota hold a t/g 8 --until 2026-13-01": `--until: "2026-13-01" has month 13, and a year has 12; write it as in friday`,
		"when research/posttraining/oak":        "muster quota show shows a quota",
		"token create ci --days 0":              "--days 0; write how many days it is good, from 1 to 366",
		"help capacitie":                        `muster has no command "capacitie"; did you mean "capacity"?`,
		"help quota grnt":                       `muster quota has no command "grnt"; did you mean "grant"?`,
	} {
		var out, err bytes.Buffer
		env := &Env{Out: &out, Err: &err, Getenv: func(string) string { return "" }, Now: noonNow, Zone: time.UTC}
		code := New(env).Run(t.Context(), strings.Fields(line))
		if got := strings.Join(strings.Fields(err.String()), " ") + "\n"; code != ExitUsage || !strings.Contains(strings.ReplaceAll(got, " See ", "\nSee "), says) {
			t.Errorf("muster %s: exit code %d, %s\nwant %s", line, code, got, says)
		}
	}
}

func TestPoolsOfTheCommandLine(t *testing.T) {
	got, err := readPools([]string{"trainer=16x8", "grader=2..64x1,rank=1,reach=any"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"trainer 16x8 rank 0 ", "grader 2..64x1 rank 1 any"}
	for i, p := range got {
		if text := fmt.Sprintf("%s %s rank %d %s", p.GetName(), poolText(p), p.GetRank(), p.GetReach()); text != want[i] {
			t.Errorf("pool %d is %q, want %q", i, text, want[i])
		}
	}
	for _, bad := range []string{"", "16x8", "w=", "w=0x8", "w=1x0", "w=16", "w=8..2x1", "w=1x99999", "w=-1x8", "w=1x8,rank=-1", "w=1x8,reach=far", "w=1x8,colour=red"} {
		if _, err := readPools([]string{bad}); exitCode(err) != ExitUsage {
			t.Errorf("%q: %v, want a usage error", bad, err)
		}
	}
}

func TestAShapeIsToldWhatIsWrongWithIt(t *testing.T) {
	for given, says := range map[string]string{
		"w=0x8": "1 to 1,000,000 replicas of 1 to 64 GPUs", "w=5..2x8": "the least first", "w=16": "write NAME=16x8",
	} {
		if _, err := readPools([]string{given}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want it to say %q", given, err, says)
		}
	}
}

func TestRoomThatIsAskedFor(t *testing.T) {
	island := &musterv1.FreeIsland{Free: 3*8 + 2*4 + 1, FreeNodes: 3, NodesByFree: map[int32]int32{4: 2, 1: 1}}
	for text, want := range map[string]bool{
		"33": true, "34": false, "3x8": true, "4x8": false, "8x4": true, "9x4": false, "33x1": true, "34x1": false,
	} {
		var c count
		if err := c.parse(text); err != nil {
			t.Fatal(err)
		}
		if got := c.fits(island); got != want {
			t.Errorf("%s fits: %v, want %v", text, got, want)
		}
	}
	for _, bad := range []string{"x8", "8x", "0", "0x8", "-1", "8x8x8", "many"} {
		if err := new(count).parse(bad); exitCode(err) != ExitUsage {
			t.Errorf("%q: %v, want a usage error", bad, err)
		}
	}
}

func TestRangesAndNamesOfNodes(t *testing.T) {
	names, err := nodeNames([]string{"a-i1-008..009", "b"})
	if want := []string{"a-i1-008", "a-i1-009", "b"}; err != nil || !reflect.DeepEqual(names, want) {
		t.Errorf("got %v (%v), want %v", names, err, want)
	}
	if _, err := nodeNames([]string{"b", "a-01..3"}); exitCode(err) != ExitUsage {
		t.Errorf("no range: %v, want a usage error", err)
	}
}

func TestNamesOfWorkloads(t *testing.T) {
	a := &app{Env: &Env{User: "ada", Getenv: func(string) string { return "" }}}
	for text, want := range map[string]string{"base": "ada/base", "oak/base": "oak/base"} {
		if namespace, name, err := new(naming).job(a, text); err != nil || namespace+"/"+name != want {
			t.Errorf("%s is %s/%s (%v), want %s", text, namespace, name, err, want)
		}
	}
	for _, bad := range []string{"", "/", "oak/", "/base", "a/b/c"} {
		if _, _, err := new(naming).job(a, bad); exitCode(err) != ExitUsage {
			t.Errorf("%q: %v, want a usage error", bad, err)
		}
	}
}

// counting counts what is read of it.
type counting struct {
	io.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// Of a sheet of 50 MB no more is read than a sheet may have, and nothing of it is opened.
func TestAHugeSheetIsNotRead(t *testing.T) {
	in := &counting{Reader: io.LimitReader(endless{}, 50<<20)}
	o := &importOptions{app: &app{Env: &Env{In: in}}}
	_, err := o.sheet("-")
	if exitCode(err) != ExitUsage || !strings.Contains(err.Error(), "larger than 900 kB; export the rows with records alone") {
		t.Errorf("%v", err)
	}
	if in.n > largestSheet+1 {
		t.Errorf("%d bytes were read", in.n)
	}
}

// endless is zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
