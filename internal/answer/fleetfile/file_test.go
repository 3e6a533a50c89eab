package fleetfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

const small = `
policy:
  buffer: {kind: fixed, share: 0.1}
  dwell: 1d12h
clusters:
  - name: tiger
    partitions:
      - gpu: h200
        gpusPerNode: 4
        islands:
          - {name: i1, nodes: 3, racks: 2}
          - {name: i2, names: [left, right]}
quotas:
  - path: research/oak
    grants: [{partition: tiger/h200, gpus: 16, gang: 8}]
    access: {users: [ada], groups: [core]}
  - path: product
`

func parse(t *testing.T, text string) File {
	t.Helper()
	f, err := Parse("fleet.yaml", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFileIsReadAsItSays(t *testing.T) {
	f := parse(t, small)
	policy := f.Policy.Over(fleet.DefaultPolicy())
	if policy.Buffer.Share != 100 || policy.Dwell != 36*time.Hour || policy.Probation != 24*time.Hour {
		t.Errorf("policy is %+v", policy)
	}
	p := f.Clusters[0].Partitions[0]
	if p.GPUsPerNode != 4 || p.Islands[0].Nodes != 3 || p.Islands[0].Racks != 2 || p.Islands[1].Nodes != 2 {
		t.Errorf("partition is %+v", p)
	}
	q := f.Quotas[0]
	if q.Path != "research/oak" || q.Grants[0] != (Grant{Line: 15, Partition: "tiger/h200", GPUs: 16, Gang: 8}) || q.Access.Users[0] != "ada" {
		t.Errorf("quota is %+v with %+v", q, q.Access)
	}
	if f.Quotas[1].Access != nil {
		t.Error("a quota without an access key has one")
	}
}

// wrong puts lines after a small fleet's clusters, from line 5 on.
const fleetOf4 = `clusters:
  - name: tiger
    partitions:
      - {gpu: h200, islands: [{name: i1, nodes: 4}]}
`

func TestWhatIsWrongIsSaidWithPlaceAndRemedy(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", "clusters:\n  - naem: tiger\n    partitions: []\n", `f:2: unknown key "naem"; did you mean "name"?`},
		{"unknown key far from all", "wombat: 1\n", `f:1: unknown key "wombat"; known here: policy, health, clusters, quotas`},
		{"missing key", "clusters:\n  - partitions: []\n", `f:2: "name" is missing in an entry of clusters; add it`},
		{"wrong type", "clusters: tiger\n", `f:1: clusters is "tiger"; write a list, as in [a, b]`},
		{"mapping expected", "policy: [a]\n", `f:1: policy is a list; write keys with values, as in {key: value}`},
		{"key twice", "policy: {dwell: 1h, dwell: 2h}\n", `f:1: key "dwell" is here twice, first in line 1; keep one`},
		{"empty value", "quotas:\n", `f:1: quotas is empty; write a list, as in [a, b]`},
		{"number as name", "clusters: [{name: 5, partitions: []}]\n", `f:1: name is "5", which YAML reads as int; put it in quotes`},
		{"space in name", "clusters: [{name: a b, partitions: []}]\n", `f:1: name is "a b"; a name has no spaces, slashes and control characters`},
		{"cluster twice", "clusters:\n  - {name: a, partitions: []}\n  - {name: a, partitions: []}\n", `f:3: cluster "a" is here twice, first in line 2; name each once`},
		{"negative nodes", "clusters: [{name: a, partitions: [{gpu: x, islands: [{name: i, nodes: -1}]}]}]\n", `f:1: nodes is -1; write a whole number from 1 to 200000`},
		{"no nodes", "clusters: [{name: a, partitions: [{gpu: x, islands: [{name: i}]}]}]\n", `f:1: an entry of islands has none of nodes, names; write exactly one`},
		{"nodes and names", "clusters: [{name: a, partitions: [{gpu: x, islands: [{name: i, nodes: 1, names: [b]}]}]}]\n", `f:1: an entry of islands has nodes and names at once; write exactly one`},
		{"node in two islands", "clusters: [{name: a, partitions: [{gpu: x, islands: [{name: i, names: [n]}, {name: j, names: [n]}]}]}]\n", `f:1: node "n" is here twice, first in line 1; name each once`},
		{"node in two islands by convention", "clusters:\n  - {name: a-b, partitions: [{gpu: c, islands: [{name: i, nodes: 1}]}]}\n  - {name: a, partitions: [{gpu: b-c, islands: [{name: i, nodes: 1}]}]}\n", `f:3: node "a-b-c-i-001" is here twice, first in line 2; name each once`},
		{"partition twice", "clusters: [{name: a, partitions: [{gpu: x, islands: []}, {gpu: x, islands: []}]}]\n", `f:1: a partition of GPU model "x" is here twice, first in line 1; name each once`},
		{"quota twice", "quotas: [{path: a}, {path: a}]\n", `f:1: quota "a" is here twice, first in line 1; name each once`},
		{"empty path", "quotas: [{path: ''}]\n", `f:1: path is an empty text; write a name`},
		{"empty segment", "quotas: [{path: a//b}]\n", `f:1: path is "a//b": a part between slashes is empty; write it as in research/oak`},
		{"path in a circle", "quotas: [{path: a/b/a}]\n", `f:1: path is "a/b/a": "a" would stand under itself; name every part of a path once`},
		{"path upwards", "quotas: [{path: a/..}]\n", `f:1: path is "a/..": a path has no . and no ..; write every part by its name`},
		{"flex as quota", "quotas: [{path: flex}]\n", `f:1: path is "flex": flex is capacity that no quota uses, so no quota can have that name; choose another`},
		{"fraction", fleetOf4 + "quotas: [{path: a, grants: [{partition: tiger/h200, gpus: 3.5}]}]\n", `f:5: gpus is 3.5; write a whole number: nothing here comes in fractions`},
		{"negative GPUs", fleetOf4 + "quotas: [{path: a, grants: [{partition: tiger/h200, gpus: -8}]}]\n", `f:5: gpus is -8; write a whole number from 0 to 64000000`},
		{"text for a number", fleetOf4 + "quotas: [{path: a, grants: [{partition: tiger/h200, gpus: many}]}]\n", `f:5: gpus is "many"; write a whole number`},
		{"half a gang", fleetOf4 + "quotas: [{path: a, grants: [{partition: tiger/h200, gpus: 16, gang: 9}]}]\n", `f:5: gang is 9 GPUs, which is not in whole nodes of 8; write 8 or 16`},
		{"gang above grant", fleetOf4 + "quotas: [{path: a, grants: [{partition: tiger/h200, gpus: 16, gang: 24}]}]\n", `f:5: gang is 24 GPUs, more than the grant of 16; a gang is at most the grant`},
		{"unknown partition", fleetOf4 + "quotas: [{path: a, grants: [{partition: tiger/h100, gpus: 16}]}]\n", `f:5: there is no partition "tiger/h100"; did you mean "tiger/h200"?`},
		{"cluster for a partition", fleetOf4 + "quotas: [{path: a, grants: [{partition: tiger, gpus: 16}]}]\n", `f:5: partition is "tiger"; write cluster and GPU model, as in tiger/h200`},
		{"grant twice", fleetOf4 + "quotas: [{path: a, grants: [{partition: tiger/h200, gpus: 8}, {partition: tiger/h200, gpus: 8}]}]\n", `f:5: a grant in partition "tiger/h200" is here twice, first in line 5; name each once`},
		{"time without unit", "policy: {dwell: 5}\n", `f:1: dwell is "5"; write a time span with its unit, as in 30s, 4h or 7d`},
		{"unknown unit", "policy: {dwell: 5 weeks}\n", `f:1: dwell is "5 weeks"; write a time span with its unit, as in 30s, 4h or 7d`},
		{"negative time", "policy: {dwell: -5h}\n", `f:1: dwell is "-5h"; a time span is zero or more`},
		{"share above one", "policy: {buffer: {share: 15}}\n", `f:1: share is 15; write a number between 0 and 1, as in 0.15`},
		{"share too fine", "policy: {buffer: {share: 0.1234}}\n", `f:1: share is 0.1234; at most three decimals are kept, as in 0.125`},
		{"fixed with confidence", "policy: {buffer: {kind: fixed, confidence: 0.9}}\n", "f:1: confidence belongs to the kinds " + text.And(fleet.LearningKinds()) + "; a fixed buffer has a share only"},
		{"unknown kind", "policy: {buffer: {kind: fixd}}\n", `f:1: kind is "fixd"; did you mean "fixed"?`},
		{"floor above ceiling", "policy:\n  buffer: {kind: calibrated, floor: 0.4, ceiling: 0.3}\n", `f:2: buffer floor 0.4 is above its ceiling 0.3; the floor is the smaller, as in floor 0.02, ceiling 0.3`},
		{"confidence of one", "policy: {buffer: {kind: binomial, confidence: 1}}\n", `f:1: buffer confidence 1 is not between 0 and 1, both excluded; 0.99 is usual`},
		{"learning with a share", "policy: {buffer: {kind: calibrated, share: 0.15}}\n", "f:1: share belongs to the kind " + text.And(fleet.ShareKinds()) + "; a calibrated buffer has confidence, floor and ceiling"},
		{"access named twice", "quotas: [{path: a, access: {users: [ada, ada]}}]\n", `f:1: "ada" is in this list twice, first in line 1; keep one`},
		{"second document", "quotas: []\n---\nquotas: []\n", `f:2: a second document begins here; a file holds one document, so put it into a file of its own`},
		{"nothing", "\n# only a remark\n", `f: is empty; it needs at least one key`},
		{"alias", "quotas: [{path: &a b}]\n", `f:1: an anchor (&a) is not allowed; write the value out where it is needed`},
		{"tag", "quotas: !!set {}\n", `f:1: a tag (!!set) is not allowed; write the plain value`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("f", []byte(c.text), Options{})
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestSyntaxErrorNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"quotas:\n  - {path: a\n  - {path: b}\npolicy: {}\n": "f:2: is no YAML around here",
		"a: 1\nb: 2\nc: 3\n- d\ne: 5\nf: 6\n":                "f:4: is no YAML around here",
		"a: 1\nb: 2\n\tc: 3\n":                               "f:2: is no YAML: found a tab",
		"a: 1\nb: \"2\nc: 3\n":                               "f:2: is no YAML: found unexpected end of stream",
		"a: b: c\n":                                          "f:1: is no YAML: mapping values",
	} {
		if _, err := Parse("f", []byte(text), Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s...", err, want)
		}
	}
}

func TestErrorsComeTogetherInOrderOfLine(t *testing.T) {
	_, err := Parse("f", []byte("quotas:\n  - {path: flex}\n  - {path: a//b}\npolicy: {dwell: 5}\n"), Options{})
	var all yamlfile.Errors
	if !errors.As(err, &all) || len(all) != 3 || all[0].Line != 2 || all[1].Line != 3 || all[2].Line != 4 {
		t.Errorf("got %v", err)
	}
	if all.NotYet() {
		t.Error("errors pass for wishes")
	}
}

func TestBuffersHaveDefaultsAndComeBackAsWritten(t *testing.T) {
	files := map[string]fleet.Buffer{}
	for _, kind := range fleet.BufferKinds() {
		files["{kind: "+string(kind)+"}"] = fleet.DefaultBuffer(kind)
	}
	for _, kind := range fleet.LearningKinds() {
		files["{kind: "+string(kind)+", confidence: 0.995, floor: 0, ceiling: 0.5}"] = fleet.Buffer{Kind: kind, Confidence: 995, Ceiling: 500}
	}
	for text, want := range files {
		f, err := Parse("f", []byte("policy: {buffer: "+text+"}\n"), Options{})
		if err != nil || *f.Policy.Buffer != want {
			t.Fatalf("%s: got %v, %v", text, f.Policy.Buffer, err)
		}
		s := fleet.NewState()
		s.SetPolicy(f.Policy.Over(s.Policy))
		again, err := Parse("again", Write(s), Options{})
		if err != nil || *again.Policy.Buffer != want {
			t.Errorf("%s: written and read back: %v, %v", text, again.Policy.Buffer, err)
		}
		if _, changes := Diff(s, again); len(changes) != 0 {
			t.Errorf("%s: differs from itself: %v", text, changes)
		}
	}
}

func TestHugeNameIsRefusedInAFewWords(t *testing.T) {
	name := strings.Repeat("n", 10<<20)
	begin := time.Now()
	_, err := Parse("f", []byte("quotas:\n  - path: "+name+"\n"), Options{})
	want := `f:2: "` + name[:60] + `"… (10485760 characters) is longer than anything that belongs here; a name has at most 253 characters`
	if err == nil || err.Error() != want {
		t.Errorf("got %.300v", err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if _, err := Parse("f", []byte(name+": 1\n"), Options{}); err == nil || len(err.Error()) > 300 {
		t.Errorf("as a key: got %.300v", err)
	}
}

func TestLongNameWithSpacesIsRefusedInAFewWords(t *testing.T) {
	name := strings.Repeat("long ", 20_000)
	_, err := Parse("f", []byte("quotas:\n  - path: '"+name+"'\n"), Options{})
	if err == nil || !strings.HasSuffix(err.Error(), `"… (100000 characters); at most 253 characters are allowed`) || len(err.Error()) > 300 {
		t.Errorf("got %.300v", err)
	}
}

func TestLongestNameIsAllowed(t *testing.T) {
	if _, err := Parse("f", []byte("quotas: [{path: "+strings.Repeat("n", 253)+"}]\n"), Options{}); err != nil {
		t.Error(err)
	}
	if _, err := Parse("f", []byte("quotas: [{path: "+strings.Repeat("n", 254)+"}]\n"), Options{}); err == nil {
		t.Error("254 characters pass")
	}
}

func TestFileLargerThan64MiBIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big.yaml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(yamlfile.MaxBytes + 1); err != nil { // sparse: costs no disk
		t.Fatal(err)
	}
	f.Close()
	if _, err := Load(path, Options{}); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestManyErrorsAndEntriesCostLittle(t *testing.T) {
	_, err := Parse("f", []byte("quotas: ["+strings.Repeat("a,", yamlfile.MaxEntries/40)+"]"), Options{})
	if err == nil || len(err.Error()) > 4000 {
		t.Errorf("got %.300v", err)
	}
	_, err = Parse("f", []byte("quotas: ["+strings.Repeat("a,", yamlfile.MaxEntries+1)+"]"), Options{})
	if err == nil || !strings.Contains(err.Error(), "f: has more than 2000000 commas and lines") {
		t.Errorf("got %.300v", err)
	}
}

func TestGrantsMayNamePartitionsThatExistAlready(t *testing.T) {
	text := []byte("quotas: [{path: a, grants: [{partition: lion/a100, gpus: 8, gang: 6}]}]\n")
	if _, err := Parse("f", text, Options{}); err != nil {
		t.Errorf("with nothing known: %v", err)
	}
	_, err := Parse("f", text, Options{Partitions: map[string]int{"lion/a100": 4}})
	if err == nil || !strings.Contains(err.Error(), "whole nodes of 4; write 4 or 8") {
		t.Errorf("got %v", err)
	}
	_, err = Parse("f", text, Options{Partitions: map[string]int{}})
	if err == nil || !strings.Contains(err.Error(), `no partition "lion/a100"`) {
		t.Errorf("got %v", err)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "30s": 30 * time.Second, "7d": 168 * time.Hour, "1d12h": 36 * time.Hour, "0.5d": 12 * time.Hour, "1h30m": 90 * time.Minute,
	} {
		if got, err := yamlfile.ParseDuration(text); err != nil || got != want {
			t.Errorf("%s is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "5", "1e9d", "Infd", "0x1d", "1d2d", "1d-2h", "-1d2h", "99999999d", "1d9999999h", "7dd"} {
		if got, err := yamlfile.ParseDuration(text); err == nil {
			t.Errorf("%s passes as %v", text, got)
		}
	}
	for d, want := range map[time.Duration]string{36 * time.Hour: "36h", 90 * time.Minute: "1h30m", 30 * time.Second: "30s", time.Hour + time.Second: "1h1s", 0: "0s"} {
		if got := words.Duration(d); got != want {
			t.Errorf("%v is written %s, want %s", d, got, want)
		}
	}
}

func TestNearestKeyIsTheOneThatWasMeant(t *testing.T) {
	known := []string{"replicas", "gpus", "reach", "rank"}
	for word, want := range map[string]string{"replica": "replicas", "GPUS": "gpus", "rnk": "rank", "colour": "", "reech": "reach"} {
		if got := yamlfile.Nearest(word, known); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
