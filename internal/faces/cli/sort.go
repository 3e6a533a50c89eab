package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// sorted gives the tables of an answer the order of rows that --sort asks for.
func (a *app) sorted(ans answer) error {
	if a.sort == "" {
		return nil
	}
	if ans.table == nil && ans.rows == nil {
		return usage("--sort %s: this answer has no rows to sort", a.sort)
	}
	var wrong error
	for _, t := range []*table{ans.table, ans.rows} {
		if t != nil {
			wrong = cmp.Or(wrong, t.sort(a.sort))
		}
	}
	return wrong
}

// sort orders rows by a column: COLUMN, or -COLUMN from the largest down. Rows with
// the same value keep their order.
func (t *table) sort(by string) error {
	name, down := strings.CutPrefix(by, "-")
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = strings.ToLower(strings.ReplaceAll(c.head, " ", "-"))
	}
	k := slices.Index(heads, strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, " ", "-"), "_", "-")))
	if k < 0 {
		if near := yamlfile.Nearest(name, heads); near != "" {
			return usage("--sort %.40q is no column; did you mean %q?", name, near)
		}
		return usage("--sort %.40q is no column; write one of %s", name, strings.Join(heads, ", "))
	}
	order := make([]int, len(t.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if down {
			i, j = j, i
		}
		return compareValues(t.rows[i][k], t.rows[j][k])
	})
	t.reorder(order)
	return nil
}

// reorder gives the rows another order: order[i] is the row that comes i-th.
func (t *table) reorder(order []int) {
	rows, hidden := make([][]any, len(order)), map[int]bool{}
	for i, from := range order {
		rows[i] = t.rows[from]
		if t.hidden[from] {
			hidden[i] = true
		}
	}
	t.rows, t.hidden = rows, hidden
}

// compareValues compares two values of one column: numbers, moments and lengths of
// time by size, the rest as text.
func compareValues(a, b any) int {
	x, isX := size(a)
	y, isY := size(b)
	if isX && isY {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(strings.ToLower(plainText(a)), strings.ToLower(plainText(b)))
}

// size is a value as a number, if it has one.
func size(v any) (n float64, has bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case int32:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case figure:
		return v.value, true
	case time.Duration:
		return float64(v), true
	case *timestamppb.Timestamp:
		return float64(v.GetSeconds()) + float64(v.GetNanos())/1e9, true
	}
	return 0, false
}
