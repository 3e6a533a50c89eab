package sheet_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/faces/sheet"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var now = fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

// random is a fleet of two clusters with work on it, and more assigned than is sustainable.
func random(t *testing.T, seed int64) *fleet.State {
	r, s := rand.New(rand.NewSource(seed)), fleet.NewState()
	do := func(must bool, c core.Command) {
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System, Reason: "test"}, now); refusal != nil && must {
			t.Fatalf("seed %d: %T: %v", seed, c, refusal)
		}
	}
	for c := range 2 {
		name := fmt.Sprintf("t%d", c)
		do(true, core.AddCluster{Name: name})
		do(true, core.AddPartition{Cluster: name, GPU: "g"})
		for i := range 1 + r.Intn(2) {
			do(true, core.AddIslands{Partition: name + "/g", Islands: []core.NewIsland{{Name: string(rune('a' + i)), Nodes: 3 + r.Intn(20)}}})
		}
		for q := range 2 + r.Intn(4) {
			path, nodes := fmt.Sprintf("q%d/x%d", c, q), 1+r.Intn(12)
			do(true, core.CreateQuota{Path: path, Owner: "ada"})
			do(true, core.SetGrant{Quota: path, Partition: name + "/g", GPUs: 8 * nodes, Gang: 8 * r.Intn(2) * r.Intn(nodes+1), Overcommit: true})
			pool := fleet.Pool{Name: "p", GPUs: 8, Min: 1 + r.Intn(nodes), Reach: fleet.ReachAny}
			pool.Max = pool.Min
			do(false, core.Submit{Spec: fleet.Spec{Name: "w", Namespace: path[:2] + path[3:], Target: path, Pools: []fleet.Pool{pool}, Priority: fleet.Mid}})
		}
	}
	return s
}

func number(t *testing.T, f *excelize.File, sheet, cell string) int {
	t.Helper()
	text, err := f.CalcCellValue(sheet, cell)
	if err != nil {
		t.Fatalf("%s!%s: %v", sheet, cell, err)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s!%s is %q", sheet, cell, text)
	}
	return n
}

// TestFiguresFollowTheBuffer: whatever buffer is written into the one cell, the
// formulas cut every quota as Muster itself would, class by class.
func TestFiguresFollowTheBuffer(t *testing.T) {
	cells := 0
	for seed := range int64(12) {
		s := random(t, seed)
		data, err := sheet.XLSX(sheet.Of("a plan", s, haircut.Ask{Basis: fleet.BasisCluster}, now))
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []fleet.Permille{150, 0, 100, 333} {
			f, err := excelize.OpenReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if err := f.SetCellValue("Haircut", sheet.BufferCell, float64(share)/1000); err != nil {
				t.Fatal(err)
			}
			h := haircut.Make(s, haircut.Ask{Basis: fleet.BasisCluster, Buffer: &fleet.Buffer{Kind: fleet.Fixed, Share: share}}, now)
			cells += follows(t, f, &h, fmt.Sprintf("seed %d, buffer %d", seed, share))
		}
	}
	t.Logf("%d cuts compared", cells)
}

// follows compares every line of sheet Quotas with a plan.
func follows(t *testing.T, f *excelize.File, h *fleet.Haircut, what string) (compared int) {
	t.Helper()
	cuts := map[string]fleet.Cut{}
	for _, part := range haircut.Parts(h) {
		for _, c := range part.Cuts {
			cuts[part.Partition+" "+c.Quota] = c
		}
	}
	rows, err := f.GetRows("Quotas")
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows[1:] {
		at := strconv.Itoa(i + 2)
		c := cuts[rows[i+1][0]+" "+rows[i+1][1]]
		for cell, want := range map[string]int{"J": c.GPUs(), "K": c.Unscheduled, "L": c.IdleCut, "M": c.Rest} {
			if got := number(t, f, "Quotas", cell+at); got != want {
				t.Fatalf("%s: %s%s of %s is %d, Muster cuts %d", what, cell, at, rows[i+1][1], got, want)
			}
			compared++
		}
	}
	if got, want := number(t, f, "Haircut", "B10"), haircut.SumsOf(haircut.Parts(h)).Total; got != want {
		t.Fatalf("%s: the sum is %d, Muster's %d", what, got, want)
	}
	return compared
}

// TestThePolicyInForceCountsWhereTheCellIsEmpty: where islands have buffers of
// their own, the cell is left empty.
func TestThePolicyInForceCountsWhereTheCellIsEmpty(t *testing.T) {
	s := random(t, 1)
	if _, refusal := core.Step(s, core.Request{Command: core.SetBuffer{Scope: "t0", Buffer: fleet.Buffer{Kind: fleet.Fixed, Share: 400}}, Actor: core.System}, now); refusal != nil {
		t.Fatal(refusal)
	}
	ask := haircut.Ask{Basis: fleet.BasisCluster}
	data, err := sheet.XLSX(sheet.Of("a plan", s, ask, now))
	if err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := f.GetCellValue("Haircut", sheet.BufferCell); v != "" {
		t.Errorf("the buffer cell says %q", v)
	}
	h := haircut.Make(s, ask, now)
	follows(t, f, &h, "policy in force")
}

// A name that a spreadsheet would reckon with is text there.
func TestNoNameInACSVIsAFormula(t *testing.T) {
	h := fleet.Haircut{Waves: []fleet.Wave{{Cluster: "=1", Parts: []fleet.CutPart{{Partition: "+1+1", Cuts: []fleet.Cut{{Quota: "-1+1", Owner: "@SUM(A1)"}}}}}}}
	rows, err := csv.NewReader(bytes.NewReader(sheet.CSV(&h))).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%q, %v", rows, err)
	}
	for _, cell := range rows[1][1:5] {
		if strings.ContainsAny(cell[:1], "=+-@") {
			t.Errorf("a cell is %q", cell)
		}
	}
}

func TestCSVHasALineForEachCut(t *testing.T) {
	s := random(t, 2)
	h := haircut.Make(s, haircut.Ask{Basis: fleet.BasisQuota}, now)
	rows, err := csv.NewReader(bytes.NewReader(sheet.CSV(&h))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[7])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if want := haircut.SumsOf(haircut.Parts(&h)).Total; sum != want || sum == 0 {
		t.Errorf("the lines sum to %d, the plan to %d", sum, want)
	}
}
