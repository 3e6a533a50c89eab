package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/sheet"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostImportErrors is how many rows that are refused an answer names.
const mostImportErrors = 100

// ImportClusters reads records from a sheet: all of them, or none where a cell is wrong.
func (s buildoutService) ImportClusters(ctx context.Context, m *musterv1.ImportClustersRequest) (*musterv1.ImportClustersResponse, error) {
	out := &musterv1.ImportClustersResponse{}
	records, wrong := sheet.ReadRecords(m.GetSheet(), m.GetColumns())
	for _, e := range wrong {
		out.Errors = append(out.Errors, &musterv1.CellError{Row: int32(e.Row), Column: e.Column, Message: e.Message})
	}
	if len(wrong) > 0 {
		return out, nil
	}
	var commands []core.Command
	if _, err := s.read(ctx, nil, func(state *fleet.State, _ fleet.Instant) error {
		commands = imported(state, records, m.GetChange(), out)
		return nil
	}); err != nil || len(out.GetErrors()) > 0 || len(commands) == 0 {
		out.Errors = out.GetErrors()[:min(len(out.GetErrors()), mostImportErrors)]
		return out, err
	}
	for i, c := range commands { // each by itself first, so that what is refused has its row
		if len(out.GetErrors()) == mostImportErrors {
			break
		}
		if _, err := s.engine.DryRun(ctx, request(ctx, m, c)); err != nil {
			if no, is := refusalOf(err); is {
				out.Errors = append(out.Errors, &musterv1.CellError{Row: rowOf(out, i), Message: no.Message})
				continue
			}
			return nil, err
		}
	}
	if len(out.GetErrors()) > 0 {
		return out, nil
	}
	w, err := s.written(ctx, m, core.Batch{Commands: commands}, nil)
	out.Written = w
	return out, err
}

// imported compares the sheet with what is planned, and says what is to be done.
func imported(s *fleet.State, records []sheet.Record, change bool, out *musterv1.ImportClustersResponse) (commands []core.Command) {
	named := map[string]bool{}
	for _, r := range records {
		named[r.Record.Name] = true
		row := &musterv1.ImportedRow{Row: int32(r.Row), Cluster: r.Record.Name, Action: "same"}
		command, wrong := takeOver(s.Life(r.Record.Name), r, change, row)
		if command != nil {
			commands = append(commands, command)
		}
		if wrong != "" {
			out.Errors = append(out.Errors, &musterv1.CellError{Row: row.GetRow(), Column: "name", Message: wrong})
		}
		out.Rows = append(out.Rows, row)
	}
	for _, l := range s.Lives {
		if !named[l.Record.Name] && l.Course.Produced == 0 && l.Course.Retiring == 0 {
			out.Absent = append(out.Absent, l.Record.Name)
		}
	}
	return commands
}

// takeOver says what a row does to a cluster (nil: it is new), as a command and in its row of the answer, or why it may not.
func takeOver(l *fleet.Life, r sheet.Record, change bool, row *musterv1.ImportedRow) (c core.Command, wrong string) {
	if l == nil {
		row.Action, row.Says = "new", newRecord(&r.Record)
		return core.PlanCluster{Record: r.Record}, ""
	}
	wanted := r.Over(l.Record)
	switch {
	case sameRecord(wanted, l.Record):
		return nil, ""
	case !change && l.Course.Retired == 0:
		return nil, fmt.Sprintf("cluster %s is planned already, with another record (%s); --change takes over what the sheet says", l.Record.Name, changedRecord(&l.Record, &wanted))
	}
	row.Action, row.Says = "changed", changedRecord(&l.Record, &wanted)
	return core.ChangeCluster{Record: wanted}, ""
}

// newRecord says what is planned by a row.
func newRecord(r *fleet.ClusterRecord) string {
	return fmt.Sprintf("%s of %s in %s: %s", words.Count(r.Nodes(), "node"), r.GPU, r.Account(), islandTexts(r))
}

// changedRecord says which fields of a record a row changes, from what to what.
func changedRecord(is, row *fleet.ClusterRecord) string {
	var list []string
	for _, f := range []struct{ name, is, row string }{
		{"provider", is.Provider, cmp.Or(row.Provider, is.Provider)},
		{"subscription", is.Subscription, row.Subscription},
		{"region", is.Region, row.Region},
		{"sku", is.SKU, row.SKU},
		{"gpu", is.GPU, row.GPU},
		{"islands", islandTexts(is), islandTexts(row)},
		{"owner", is.Owner, row.Owner},
		{"priority", is.Priority.String(), row.Priority.String()},
		{"wantedBy", dayText(is.WantedBy), dayText(row.WantedBy)},
		{"blueprint", is.Blueprint, row.Blueprint},
	} {
		if f.is != f.row {
			list = append(list, fmt.Sprintf("%s %s → %s", f.name, cmp.Or(f.is, "none"), cmp.Or(f.row, "none")))
		}
	}
	if row.GPUsPerNode != 0 && row.GPUsPerNode != is.GPUsPerNode {
		list = append(list, fmt.Sprintf("gpusPerNode %d → %d", is.GPUsPerNode, row.GPUsPerNode))
	}
	return strings.Join(list, "; ")
}

// islandTexts writes islands as sheets do.
func islandTexts(r *fleet.ClusterRecord) string {
	var list []string
	for _, i := range r.Islands {
		list = append(list, fmt.Sprintf("%s:%d", i.Name, i.Nodes))
	}
	return strings.Join(list, " ")
}

func dayText(at fleet.Instant) string {
	if at == 0 {
		return ""
	}
	return at.Time().Format(time.DateOnly)
}

// sameRecord compares a row with a record, in which what the row left out was filled in.
func sameRecord(row, is fleet.ClusterRecord) bool {
	if row.Provider == "" {
		row.Provider = core.Providers()[0]
	}
	if row.GPUsPerNode == 0 {
		row.GPUsPerNode = 8
	}
	return reflect.DeepEqual(row, is)
}

// rowOf is the row of the sheet that the i-th command comes from.
func rowOf(out *musterv1.ImportClustersResponse, i int) int32 {
	for _, row := range out.GetRows() {
		if row.GetAction() == "same" {
			continue
		}
		if i == 0 {
			return row.GetRow()
		}
		i--
	}
	return 0
}

// refusalOf is the domain's no in an error.
func refusalOf(err error) (no *core.Refusal, is bool) {
	is = errors.As(err, &no)
	return no, is
}
