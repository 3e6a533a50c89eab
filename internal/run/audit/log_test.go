package audit_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/audit"
)

func open(t *testing.T, folder string, now *time.Time) *audit.Log {
	t.Helper()
	l, err := audit.Open(folder, func() time.Time { return *now })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// written is a folder with a log of ten entries, and a head over a journal of three records.
func written(t *testing.T) (folder string, now time.Time) {
	t.Helper()
	folder, now = t.TempDir(), time.Unix(1_800_000_000, 0)
	l := open(t, folder, &now)
	for i := range 10 {
		l.Note(audit.Entry{Kind: audit.Denied, Actor: fmt.Sprintf("user:u%d", i), Source: "10.0.0.1:1234"})
	}
	var is audit.Link
	for seq := range uint64(3) {
		is = is.Extend(seq+1, int64(seq), record(seq+1))
	}
	l.Note(audit.Entry{Kind: audit.Head, Version: 3, Chain: is.String()})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return folder, now
}

func record(seq uint64) []byte { return fmt.Appendf(nil, "record %d", seq) }

// journal is one of n records, of which one may be another than it was.
func journal(n, changed uint64) audit.Records {
	return func(fn func(uint64, int64, []byte) error) error {
		for seq := uint64(1); seq <= n; seq++ {
			data := record(seq)
			if seq == changed {
				data = []byte("another past")
			}
			if err := fn(seq, int64(seq-1), data); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestALogAndAJournalAsTheyWereWrittenAreProven(t *testing.T) {
	folder, now := written(t)
	p, err := open(t, folder, &now).Prove(audit.Start{}, journal(5, 0))
	if err != nil || len(p.Broken) > 0 || p.Entries != 11 || p.Version != 3 {
		t.Errorf("%+v %v", p, err)
	}
}

func TestAChangedJournalIsFound(t *testing.T) {
	folder, now := written(t)
	for what, records := range map[string]audit.Records{"a changed record": journal(5, 2), "a record that is gone": journal(2, 0)} {
		p, err := open(t, folder, &now).Prove(audit.Start{}, records)
		if err != nil || len(p.Broken) != 1 {
			t.Errorf("%s: %+v %v", what, p, err)
		}
	}
}

// A journal that was cut back on purpose is told from one that lost its end.
func TestAJournalThatWasCutBackIsProven(t *testing.T) {
	folder, now := written(t)
	l := open(t, folder, &now)
	l.Note(audit.Entry{Kind: audit.Cut, Version: 2})
	if _, _, known := l.LastHead(); known {
		t.Error("the head of before still counts")
	}
	p, err := l.Prove(audit.Start{}, journal(2, 0))
	if err != nil || len(p.Broken) > 0 {
		t.Errorf("%+v %v", p, err)
	}
}

// Every line that is changed, removed, moved or added shows, and so does a log under another key.
func TestAChangedLogIsFound(t *testing.T) {
	changes := map[string]func(lines [][]byte) [][]byte{
		"a changed actor": func(l [][]byte) [][]byte { l[4] = bytes.Replace(l[4], []byte("u4"), []byte("u9"), 1); return l },
		"a removed line":  func(l [][]byte) [][]byte { return append(l[:3], l[4:]...) },
		"two lines swapped": func(l [][]byte) [][]byte {
			l[3], l[4] = l[4], l[3]
			return l
		},
		"a line twice": func(l [][]byte) [][]byte { return append(l, l[len(l)-1]) },
		"the first line gone": func(l [][]byte) [][]byte {
			return l[1:]
		},
	}
	for what, change := range changes {
		folder, now := written(t)
		path := filepath.Join(folder, "audit.jsonl")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		lines[len(lines)-1] = append(lines[len(lines)-1], '\n')
		if err := os.WriteFile(path, bytes.Join(change(lines), nil), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = audit.Open(folder, func() time.Time { return now })
		if err == nil {
			t.Errorf("%s is not seen", what)
			continue
		}
		if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("%s: there is no way on in %q", what, err)
		}
		if err := os.Rename(path, filepath.Join(t.TempDir(), "evidence.jsonl")); err != nil {
			t.Fatal(err)
		}
		l, err := audit.Open(folder, func() time.Time { return now })
		if err != nil {
			t.Fatalf("%s: no new log begins: %v", what, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A line of another past under the same key shows, though its number is right: who has brought back a
// copy of the folder and had the server go on from it cannot make one log of two.
func TestALineOfAnotherPastIsFound(t *testing.T) {
	folder, now := written(t)
	other := t.TempDir()
	key, err := os.ReadFile(filepath.Join(folder, "audit.key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "audit.key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	l := open(t, other, &now)
	for i := range 10 {
		l.Note(audit.Entry{Kind: audit.Denied, Actor: fmt.Sprintf("user:another%d", i)})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	is, theirs := linesOf(t, folder), linesOf(t, other)
	is[4] = theirs[4]
	if err := os.WriteFile(filepath.Join(folder, "audit.jsonl"), bytes.Join(is, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.Open(folder, func() time.Time { return now }); err == nil {
		t.Error("a line of another past is not seen")
	}
}

// linesOf are the lines of a log, each with its end.
func linesOf(t *testing.T, folder string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.SplitAfter(text, []byte("\n"))
}

// A crash in the middle of a line costs that line alone.
func TestALineThatWasCutOffIsRemoved(t *testing.T) {
	folder, now := written(t)
	path := filepath.Join(folder, "audit.jsonl")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString(`{"entry":{"seq":12,"at"`)
	_ = f.Close()
	l := open(t, folder, &now)
	l.Note(audit.Entry{Kind: audit.SecretRead, Actor: "user:ada"})
	list, _, err := l.Entries(12, 10)
	if err != nil || len(list) != 1 || list[0].Kind != audit.SecretRead {
		t.Errorf("%+v %v", list, err)
	}
}

// A flood of refusals is a few lines.
func TestAFloodIsCounted(t *testing.T) {
	folder, now := t.TempDir(), time.Unix(1_800_000_000, 0)
	l := open(t, folder, &now)
	for i := range 3003 {
		l.Note(audit.Entry{Kind: audit.Unknown, Source: fmt.Sprintf("10.0.0.1:%d", i)})
	}
	for i := range 3000 {
		l.Note(audit.Entry{Kind: audit.Denied, Actor: fmt.Sprintf("user:u%d", i)})
	}
	now = now.Add(2 * time.Minute)
	l.Note(audit.Entry{Kind: audit.SignedIn, Actor: "user:ada"})
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	list, _, err := l.Entries(1, 100_000)
	if err != nil || len(list) > 210 {
		t.Fatalf("%d lines, %v", len(list), err)
	}
	times := map[audit.Kind]uint64{}
	for _, e := range list {
		times[e.Kind] += max(1, e.Times)
	}
	if times[audit.Unknown] != 3003 || times[audit.Denied]+times[audit.Dropped] != 3000 {
		t.Errorf("counted %v", times)
	}
	text, err := os.ReadFile(filepath.Join(folder, "audit.jsonl"))
	if err != nil || strings.Count(string(text), "\n") != len(list) {
		t.Errorf("%v", err)
	}
}

// Texts that callers choose, as the path of a call, make no line that the next start cannot read.
func TestALongCallMakesNoLongLine(t *testing.T) {
	folder, now := t.TempDir(), time.Unix(1_800_000_000, 0)
	l := open(t, folder, &now)
	long := strings.Repeat("&", 66_000)
	l.Note(audit.Entry{Kind: audit.Unknown, Actor: long, Source: long, Token: long, Call: "/muster.v1.FleetService/" + long, Text: long})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if lines := linesOf(t, folder); len(lines[0]) > 64<<10 {
		t.Errorf("a line of %d bytes", len(lines[0]))
	}
	l = open(t, folder, &now)
	list, _, err := l.Entries(1, 10)
	if err != nil || len(list) != 1 || !strings.HasPrefix(list[0].Call, "/muster.v1.FleetService/&") {
		t.Errorf("%d entries, %v", len(list), err)
	}
}

// What was done stands in the log whatever is refused at the same moment, and one caller's refusals leave room for
// those of others.
func TestAFloodHidesNothing(t *testing.T) {
	folder, now := t.TempDir(), time.Unix(1_800_000_000, 0)
	l := open(t, folder, &now)
	for i := range 1000 {
		l.Note(audit.Entry{Kind: audit.Denied, Actor: "user:eve", Call: fmt.Sprintf("/x/%d", i)})
	}
	l.Note(audit.Entry{Kind: audit.Denied, Actor: "user:bob"})
	for i := range 1000 {
		l.Note(audit.Entry{Kind: audit.Denied, Actor: fmt.Sprintf("user:u%d", i)})
	}
	l.Note(audit.Entry{Kind: audit.SecretRead, Actor: "user:ada"})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, folder, &now)
	list, _, err := l.Entries(1, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]int{}
	for _, e := range list {
		by[e.Actor]++
	}
	if by["user:eve"] == 0 || by["user:eve"] > 60 || by["user:bob"] != 1 || by["user:ada"] != 1 {
		t.Errorf("of eve %d lines, of bob %d, of ada %d", by["user:eve"], by["user:bob"], by["user:ada"])
	}
}
