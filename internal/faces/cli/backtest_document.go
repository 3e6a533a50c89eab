package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/muster-fleet/muster/internal/prove/backtest"
)

// into writes the rows as a Markdown table into a page, between the marks
// <!-- backtest NAME --> and <!-- end NAME -->, so that its figures can be made anew.
func (o *backtestOptions) writeInto(rows []backtest.Row) error {
	path, name, named := strings.Cut(o.into, "#")
	if !named {
		return usage("--into %s: say which table, as in docs/figures/promise.md#fleet", o.into)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		return Malformed(err)
	}
	begin, end := []byte("<!-- backtest "+name+" -->\n"), []byte("<!-- end "+name+" -->")
	from, to := bytes.Index(page, begin), bytes.Index(page, end)
	if from < 0 || to < from {
		return usage("%s has no place for it: a line %s and further down a line %s", path, strings.TrimSpace(string(begin)), end)
	}
	written := append([]byte(nil), page[:from+len(begin)]...)
	written = append(append(written, markdown(rows)...), page[to:]...)
	return os.WriteFile(path, written, 0o644) // a page of documentation: for everyone to read
}

func markdown(rows []backtest.Row) string {
	var b strings.Builder
	b.WriteString("| pools | horizon | policy | mean buffer | realised | broken quota-hours | GPU-hours to flex | quota changed |\n")
	b.WriteString("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n")
	for _, r := range rows {
		realised := percent(r.Realised)
		if r.Wanted > 0 && r.Realised < r.Wanted {
			realised += " ✗"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Group, backtest.Hours(r.Horizon), r.Policy,
			percent(r.Buffer), realised, grouped(int64(r.Broken)), grouped(int64(r.Flex)), grouped(int64(r.Changes)))
	}
	return b.String()
}
