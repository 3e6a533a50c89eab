package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// retold is a story that retells another scheduler's situation.
type retold struct {
	file string // with slashes, from the folder of stories
	*File
}

// Conformance writes, as Markdown, how Muster answers the situations of other
// schedulers: those of the stories in a folder that name a peer, by project and
// test, and at the end what the folder's peers/skipped.md says is left out.
// The address of a story is taken to be the folder's name beside the page's own folder.
func Conformance(w io.Writer, folder string) error {
	stories, err := retellings(folder)
	if err != nil {
		return err
	}
	p := page{base: "../" + filepath.Base(folder)}
	p.head(stories)
	for _, of := range chunked(stories, func(r retold) string { return r.Peer.Project() }) {
		p.project(of)
	}
	skipped, err := os.ReadFile(filepath.Join(folder, "peers", "skipped.md"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.Write(skipped)
	_, err = io.WriteString(w, p.String())
	return err
}

// retellings are the stories of a folder that name a peer: by project, then by
// source (of a file: in the order in which its cases stand), case and file.
func retellings(folder string) ([]retold, error) {
	files, err := gather([]string{folder})
	if err != nil {
		return nil, err
	}
	var found []retold
	for _, name := range files {
		f, err := Load(name)
		if err != nil {
			return nil, err
		}
		if f.Peer == nil {
			continue
		}
		from, err := filepath.Rel(folder, name)
		if err != nil {
			return nil, err
		}
		found = append(found, retold{filepath.ToSlash(from), f})
	}
	slices.SortStableFunc(found, func(a, b retold) int {
		x, y := a.Peer, b.Peer
		return cmp.Or(cmp.Compare(x.Project(), y.Project()), cmp.Compare(document(x.Source), document(y.Source)),
			cmp.Compare(line(x.Source), line(y.Source)), cmp.Compare(a.file, b.file))
	})
	return found, nil
}

// document is the address without the line.
func document(source string) string {
	before, _, _ := strings.Cut(source, "#L")
	return before
}

// line is the line that an address points at, 0 where it names none.
func line(source string) int {
	var n int
	if _, after, ok := strings.Cut(source, "#L"); ok {
		_, _ = fmt.Sscanf(after, "%d", &n) // what is no number points at no line
	}
	return n
}

// chunked splits a sorted list where its key changes.
func chunked(all []retold, key func(retold) string) [][]retold {
	var out [][]retold
	for i, r := range all {
		if i == 0 || key(r) != key(all[i-1]) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], r)
	}
	return out
}

// page is a Markdown page on its way.
type page struct {
	strings.Builder
	base string // where the stories are, seen from the page
}

func (p *page) head(all []retold) {
	p.WriteString(`# Other schedulers' situations, and Muster's answers

Made by ` + "`make conformance`" + ` from the stories that name their peer; do not edit. Each is a situation that another project tests
or has stumbled over, retold in Muster's words. All of them run with every test.

- **same**: the same situation, the same outcome.
- **adapted**: the same question; the situation or the means are changed to Muster's rules, and the column says how.
- **different**: the same situation, deliberately another outcome, and the column says why.

| project | cases | same | adapted | different |
| --- | --: | --: | --: | --: |
`)
	for _, of := range chunked(all, func(r retold) string { return r.Peer.Project() }) {
		p.counts(fmt.Sprintf("[%s](#%s)", of[0].Peer.Project(), anchor(of[0].Peer.Project())), of)
	}
	p.counts("all", all)
}

func (p *page) counts(name string, of []retold) {
	n := map[Answer]int{}
	for _, r := range of {
		n[r.Peer.Answer]++
	}
	fmt.Fprintf(p, "| %s | %d | %d | %d | %d |\n", name, len(of), n[Same], n[Adapted], n[Different])
}

// anchor is how Markdown pages address a heading.
func anchor(heading string) string {
	return strings.NewReplacer("/", "", ".", "").Replace(strings.ToLower(heading))
}

func (p *page) project(of []retold) {
	fmt.Fprintf(p, "\n## %s\n", of[0].Peer.Project())
	for _, group := range chunked(of, func(r retold) string { return shelf(r.Peer.Source) }) {
		fmt.Fprintf(p, "\n### %s\n\n| case there | what is decided there | Muster | why | story |\n| --- | --- | --- | --- | --- |\n", shelf(group[0].Peer.Source))
		for _, r := range group {
			p.row(r)
		}
	}
}

// shelf is what cases stand under: the file that a test is in, or the issues.
func shelf(source string) string {
	rest := strings.TrimPrefix(document(source), github)
	parts := strings.SplitN(rest, "/", 5)
	if len(parts) == 5 && parts[2] == "blob" {
		return parts[4]
	}
	return parts[2]
}

func (p *page) row(r retold) {
	name := r.Peer.Case
	if name == "" {
		name = path.Base(r.Peer.Source)
	}
	short := strings.TrimSuffix(path.Base(r.file), path.Ext(r.file))
	fmt.Fprintf(p, "| [%s](%s) | %s | %s | %s | [%s](%s/%s) |\n", cell(name), r.Peer.Source, cell(r.Peer.There), r.Peer.Answer, cell(r.Peer.Why), short, p.base, r.file)
}

// cell is a text as a table takes it.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "[", `\[`, "]", `\]`).Replace(strings.TrimSpace(text))
}
