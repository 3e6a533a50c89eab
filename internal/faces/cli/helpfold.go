package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// wrapSlop is how much wider than asked for the help of a flag may be.
const wrapSlop = 5

// foldHelp lets all help fit into the width of a table.
func foldHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("folded", foldedShort)
	cobra.AddTemplateFunc("foldedLong", foldedLong)
	cobra.AddTemplateFunc("foldedExample", foldedExample)
	root.SetUsageTemplate(strings.NewReplacer(
		"FlagUsages", fmt.Sprintf("FlagUsagesWrapped %d", widest-wrapSlop),
		".NamePadding }} {{.Short}}", ".NamePadding }} {{folded .Short .NamePadding}}",
		"{{.Example}}", "{{foldedExample .Example}}",
	).Replace(root.UsageTemplate()))
	root.SetHelpTemplate(strings.Replace(root.HelpTemplate(), "{{. |", "{{foldedLong . |", 1))
}

// foldWords is words in lines, the first of which begins at a column and the others at an indent.
func foldWords(text string, at, indent int) string {
	var b strings.Builder
	for i, word := range strings.Fields(text) {
		switch n := columns(word); {
		case i > 0 && at+1+n > widest:
			b.WriteString("\n" + strings.Repeat(" ", indent) + word)
			at = indent + n
		case i > 0:
			b.WriteString(" " + word)
			at += 1 + n
		default:
			b.WriteString(word)
			at += n
		}
	}
	return b.String()
}

// foldedShort is what a command is for, as help lists it beside names of a width.
func foldedShort(short string, name int) string {
	const around = 3 // two spaces before the name, one after it
	return foldWords(short, name+around, name+around)
}

// foldedLong is a text of help. A paragraph with a line that is too wide is folded anew; where lines
// of it are indented, each stays a line of its own.
func foldedLong(long string) string {
	paragraphs := strings.Split(long, "\n\n")
	for i, text := range paragraphs {
		lines := strings.Split(text, "\n")
		switch {
		case !slices.ContainsFunc(lines, tooWide):
		case slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, " ") }):
			for j, line := range lines {
				lines[j] = foldedLine(line)
			}
			paragraphs[i] = strings.Join(lines, "\n")
		default:
			paragraphs[i] = foldWords(text, 0, 0)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

func tooWide(line string) bool { return columns(line) > widest }

// foldedLine folds a line that is too wide below the column at which its text begins.
func foldedLine(line string) string {
	if !tooWide(line) {
		return line
	}
	begin := len(line) - len(strings.TrimLeft(line, " "))
	if gap := strings.LastIndex(line, "  "); gap >= begin {
		begin = gap + 2 //nolint:mnd // after the gap
	}
	return line[:begin] + foldWords(line[begin:], columns(line[:begin]), columns(line[:begin]))
}

// foldedExample is examples of a command that can be copied: what is too wide goes on in the next line, before a flag.
func foldedExample(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if command, comment, found := strings.Cut(line, " # "); found && tooWide(line) {
			line = "  # " + strings.TrimSpace(comment) + "\n" + strings.TrimRight(command, " ")
		}
		var done string
		for rest := line; ; {
			last := rest[strings.LastIndex(rest, "\n")+1:]
			at := lastFlag(last)
			if !tooWide(last) || at <= 0 {
				lines[i] = done + rest
				break
			}
			at += len(rest) - len(last)
			done += rest[:at] + " \\\n"
			rest = "      " + strings.TrimLeft(rest[at:], " ")
		}
	}
	return strings.Join(lines, "\n")
}

// lastFlag is where the last flag of a line begins that leaves room for the sign that the line goes on; 0: none.
func lastFlag(line string) int {
	const sign = 2
	return strings.LastIndex(line[:min(len(line), widest-sign)], " --")
}
