package fleetfile

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// build makes the fleet that commands ask for, as far as files can ask.
func build(t *testing.T, s *fleet.State, commands []core.Command) {
	t.Helper()
	for _, c := range commands {
		switch c := c.(type) {
		case core.SetPolicy:
			s.Policy = c.Policy
		case core.AddCluster:
			s.AddCluster(fleet.Cluster{Name: c.Name, Mode: fleet.Enforce})
		case core.SetBuffer:
			s.SetBuffer(c.Scope, c.Buffer)
		case core.AddPartition:
			s.AddPartition(c.Cluster, c.GPU, c.GPUsPerNode)
		case core.AddIslands:
			addIslands(s.Partition(c.Partition), c.Islands)
		case core.CreateQuota:
			s.AddQuota(fleet.Quota{Path: c.Path, Access: c.Access})
		case core.SetAccess:
			s.Quota(c.Path).Access = c.Access
		case core.SetGrant:
			s.Partition(c.Partition).SetGrant(c.Quota, c.GPUs, c.Gang, c.Overcommit)
		default:
			t.Fatalf("a file asks for %T", c)
		}
	}
}

func addIslands(p *fleet.Partition, islands []core.NewIsland) {
	for _, i := range islands {
		if _, ok := p.Island(i.Name); !ok {
			p.AddIsland(i.Name, i.Racks)
		}
		at, _ := p.Island(i.Name)
		names := i.Names
		for n := range i.Nodes {
			names = append(names, NodeName(p.Cluster, p.GPU, i.Name, n+1))
		}
		for _, name := range names {
			p.AddNode(name, at, 0, 0)
		}
	}
}

func built(t *testing.T, text string) *fleet.State {
	t.Helper()
	s := fleet.NewState()
	build(t, s, Commands(parse(t, text)))
	return s
}

func lines(changes []Change) string {
	var all []string
	for _, c := range changes {
		all = append(all, c.String())
	}
	return strings.Join(all, "\n")
}

func TestDiffToNothingNamesEverything(t *testing.T) {
	_, changes := Diff(fleet.NewState(), parse(t, small))
	want := `~ policy: buffer fixed 15 % → fixed 10 %, dwell 24h → 36h
+ cluster tiger
+ partition tiger/h200, 4 GPUs per node
+ island tiger/h200/i1, 3 nodes
+ island tiger/h200/i2, 2 nodes
+ quota research/oak, open to users ada; groups core
+ quota product, without an access list
+ grant research/oak in tiger/h200: 16 GPUs with gang 8`
	if got := lines(changes); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDiffToItselfIsNothing(t *testing.T) {
	if _, changes := Diff(built(t, small), parse(t, small)); len(changes) > 0 {
		t.Errorf("got\n%s", lines(changes))
	}
}

func TestWrittenFileSaysTheSameFleet(t *testing.T) {
	s := built(t, small)
	text := string(Write(s))
	if _, changes := Diff(s, parse(t, text)); len(changes) > 0 {
		t.Errorf("%s\ndiffers:\n%s", text, lines(changes))
	}
	again := built(t, text)
	if got := string(Write(again)); got != text {
		t.Errorf("written twice:\n%s\nand\n%s", text, got)
	}
	if again.Hash() != s.Hash() {
		t.Errorf("another fleet comes out of\n%s", text)
	}
}

func TestStrangeNamesSurviveWriting(t *testing.T) {
	for _, name := range []string{"yes", "1", "null", "0x1", "1e3", "-a", "a:b", "~", "é", "@x", "2017-10-01", "a: b", "#a", "tiger/h200", "", "it's", "\"", "true"} {
		_, top := yamlfile.Open("f", []byte("{a: "+scalar(name)+"}"))
		if got := top.Fields("a").At("a").Text(); got != name {
			t.Errorf("%q is written %s and read %q", name, scalar(name), got)
		}
	}
}

func TestDiffGivesOnlyWhatDiffers(t *testing.T) {
	s := built(t, fleetOf4+`quotas:
  - {path: a, grants: [{partition: tiger/h200, gpus: 8}], access: {users: [ada]}}
  - {path: b, grants: [{partition: tiger/h200, gpus: 16, gang: 16}]}
  - {path: c, grants: [{partition: tiger/h200, gpus: 8}]}
`)
	commands, changes := Diff(s, parse(t, `clusters:
  - name: tiger
    partitions:
      - {gpu: h200, islands: [{name: i1, nodes: 6}, {name: i0, names: [x]}]}
quotas:
  - {path: a, grants: [{partition: tiger/h200, gpus: 24}]}
  - {path: b, grants: [{partition: tiger/h200, gpus: 8}], access: {groups: [core]}}
`))
	want := `~ island tiger/h200/i1: 4 → 6 nodes
+ island tiger/h200/i0, 1 node
~ quota b: without an access list → open to groups core
~ grant b in tiger/h200: 16 GPUs with gang 16 → 8 GPUs
~ grant a in tiger/h200: 8 GPUs → 24 GPUs`
	if got := lines(changes); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	build(t, s, commands)
	if got := s.Partition("tiger/h200"); len(got.Nodes) != 7 || got.Account("c").Grant != 8 || got.Account("b").Gang != 0 {
		t.Errorf("%d nodes; c has %d; b has gang %d", len(got.Nodes), got.Account("c").Grant, got.Account("b").Gang)
	}
	if !s.Quota("a").Access.Allows("ada", nil, "") || s.Quota("a").Access.Unlisted() {
		t.Error("an access list that the file does not name was not left alone")
	}
}

func TestWhatAFileCannotDoIsAConflict(t *testing.T) {
	s := built(t, small)
	commands, changes := Diff(s, parse(t, `clusters:
  - name: tiger
    partitions:
      - gpu: h200
        gpusPerNode: 4
        islands: [{name: i1, nodes: 2, racks: 1}, {name: i3, names: [left]}]
  - name: lion
    partitions:
      - {gpu: h200, islands: []}
`))
	want := `! island tiger/h200/i1 has 2 racks, the file says 1: that cannot change
! island tiger/h200/i1 has 3 nodes, the file says 2: a file takes no nodes away, retire them one by one
! node left is in island tiger/h200/i2, the file says tiger/h200/i3: nodes do not move
+ cluster lion
+ partition lion/h200, 8 GPUs per node`
	if got := lines(changes); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(commands) != 2 {
		t.Errorf("%d commands, want the two for lion", len(commands))
	}
	_, changes = Diff(s, parse(t, "clusters: [{name: tiger, partitions: [{gpu: h200, islands: []}]}]\n"))
	if got := lines(changes); got != "! partition tiger/h200 has 4 GPUs per node, the file says 8: that cannot change" {
		t.Errorf("got\n%s", got)
	}
}

func TestOvercommitStaysWhereTheGrantDoesNotGrow(t *testing.T) {
	s := built(t, fleetOf4+"quotas: [{path: a, grants: [{partition: tiger/h200, gpus: 80}]}]\n")
	s.Partition("tiger/h200").SetGrant("a", 80, 0, true)
	for gpus, want := range map[string]bool{"72": true, "88": false} {
		commands, _ := Diff(s, parse(t, fleetOf4+"quotas: [{path: a, grants: [{partition: tiger/h200, gpus: "+gpus+"}]}]\n"))
		if got := commands[0].(core.SetGrant).Overcommit; got != want {
			t.Errorf("%s GPUs: overcommit %v, want %v", gpus, got, want)
		}
	}
}
