package bench

import (
	"fmt"
	"slices"
	"strings"
)

// The generated part of a document stands between these lines, and each bench's
// part between two of its own; what stands elsewhere is people's.
const (
	partsBegin = "<!-- benches: begin; made by muster bench --all --markdown --into FILE -->"
	partsEnd   = "<!-- benches: end -->"
)

func partBegin(bench string) string { return "<!-- bench " + bench + ": begin -->" }

func partEnd(bench string) string { return "<!-- bench " + bench + ": end -->" }

// Markdown is the generated part of a document with these reports.
func Markdown(reports []Report) string {
	var parts []string
	for _, r := range reports {
		parts = append(parts, r.markdown())
	}
	return partsBegin + "\n\n" + strings.Join(parts, "\n") + "\n" + partsEnd + "\n"
}

// Into puts reports into a document: each in place of what it said of that bench
// before, a new one at the end of the generated part. The rest stays as it is.
func Into(doc string, reports []Report) (string, error) {
	if b, e := strings.Index(doc, partsBegin), strings.Index(doc, partsEnd); b < 0 || e < b {
		return "", fmt.Errorf("the document has no generated part: put the lines %q and %q where it is to stand", partsBegin, partsEnd)
	}
	for _, r := range reports {
		from, to := strings.Index(doc, partBegin(r.Bench)), strings.Index(doc, partEnd(r.Bench)+"\n")
		switch {
		case from >= 0 && to > from:
			to += len(partEnd(r.Bench)) + 1
		case from < 0 && to < 0:
			from = strings.Index(doc, partsEnd)
			to = from
			doc = doc[:from] + "\n" + doc[from:]
		default:
			return "", fmt.Errorf("the document's part about bench %s has only one of the lines %q and %q", r.Bench, partBegin(r.Bench), partEnd(r.Bench))
		}
		doc = doc[:from] + r.markdown() + doc[to:]
	}
	return doc, nil
}

func (r Report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n### %s\n\n", partBegin(r.Bench), r.Bench)
	if r.Recipe != "" {
		fmt.Fprintf(&b, "%s.\n\n", flat(r.Recipe))
	}
	b.WriteString("| figure | Muster | peer | ratio | aim | |\n| --- | ---: | ---: | ---: | --- | --- |\n")
	for _, f := range r.Figures {
		fmt.Fprintf(&b, "| %s | %s %s | %s | %s | %s | %s |\n", cell(f.Name), digits(f.Value), f.Unit, f.peer(), f.ratio(), cell(f.Aim), f.verdict())
	}
	b.WriteString("\n")
	if len(r.Curves) > 0 {
		fmt.Fprintf(&b, "![%s: how it grows](%s)\n\n", r.Bench, r.PictureFile())
	}
	for _, remark := range r.Remarks {
		fmt.Fprintf(&b, "%s\n", flat(remark))
	}
	fmt.Fprintf(&b, "Measured on %s%s.\n", r.Machine, map[bool]string{true: ", a tenth of the work"}[r.Quick])
	for _, source := range r.Sources() {
		fmt.Fprintf(&b, "\n%s\n", source)
	}
	return b.String() + partEnd(r.Bench) + "\n"
}

// PictureFile is where a document looks for the report's picture, from its own folder.
func (r Report) PictureFile() string { return "img/bench-" + r.Bench + ".svg" }

// Sources lists where the peers' figures are from, each once.
func (r Report) Sources() (list []string) {
	for _, f := range r.Figures {
		if f.Peer == nil {
			continue
		}
		if s := fmt.Sprintf("%s: %s. Source: %s.", *f.Peer, f.Peer.Of, f.Peer.Source); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func (f Figure) peer() string {
	if f.Peer == nil {
		return ""
	}
	return f.Peer.String()
}

func (f Figure) ratio() string {
	if f.To == "" {
		return ""
	}
	return digits(f.Ratio) + " (" + f.To + ")"
}

func (f Figure) verdict() string {
	switch {
	case f.Aim == "":
		return ""
	case f.Met:
		return "reached"
	}
	return "**not reached**"
}

// flat is a text on one line; cell also fits into a table.
func flat(text string) string { return strings.ReplaceAll(text, "\n", " ") }

func cell(text string) string { return strings.ReplaceAll(flat(text), "|", `\|`) }

// digits says a figure with three digits that count.
func digits(x float64) string {
	switch {
	case x >= 1000:
		return fmt.Sprintf("%.0f", x)
	case x == float64(int(x)):
		return fmt.Sprintf("%d", int(x))
	}
	return fmt.Sprintf("%.3g", x)
}
