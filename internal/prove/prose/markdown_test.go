package prose

import (
	"regexp"
	"strings"
)

var (
	mdCode    = regexp.MustCompile("`[^`]*`")
	mdImage   = regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
	mdLink    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	mdComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	mdURL     = regexp.MustCompile(`<?https?://[^\s>)]+>?`)
	mdBlock   = regexp.MustCompile(`^\s*([-*]|\d+\.)\s+`)
	mdRule    = regexp.MustCompile(`^[|\s:-]+$`)
)

// plainOf takes markup away and keeps line breaks. Code counts as one word.
func plainOf(text string) string {
	text = mdCode.ReplaceAllString(text, "`x`")
	text = mdImage.ReplaceAllString(text, "$1")
	text = mdLink.ReplaceAllString(text, "$1")
	text = mdURL.ReplaceAllString(text, "x")
	return strings.ReplaceAll(text, "**", "")
}

// blanked takes a match away and keeps its line breaks.
func blanked(match string) string { return strings.Repeat("\n", strings.Count(match, "\n")) }

// markdown finds paragraphs, list items, headings and cells. Fenced code is no prose.
func markdown(file, text string) []passage {
	text = mdComment.ReplaceAllStringFunc(text, blanked)
	var list []passage
	var open []string
	start, fenced := 0, false
	end := func() {
		if len(open) > 0 {
			list = append(list, passage{file, start, document, plainOf(strings.Join(open, "\n"))})
		}
		open = nil
	}
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			end()
			fenced = !fenced
		case fenced:
		case trimmed == "":
			end()
		case strings.HasPrefix(trimmed, "|"):
			end()
			list = append(list, cells(file, i+1, trimmed)...)
		case strings.HasPrefix(trimmed, "#"):
			end()
			list = append(list, passage{file, i + 1, cell, plainOf(strings.TrimLeft(trimmed, "# "))})
		default:
			if mark := mdBlock.FindString(line); mark != "" {
				end()
				line = line[len(mark):]
			}
			if len(open) == 0 {
				start = i + 1
			}
			open = append(open, strings.TrimSpace(line))
		}
	}
	end()
	return list
}

// cells are those of one row of a table.
func cells(file string, line int, row string) []passage {
	if mdRule.MatchString(row) {
		return nil
	}
	var list []passage
	for part := range strings.SplitSeq(plainOf(strings.ReplaceAll(row, `\|`, "/")), "|") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, passage{file, line, cell, part})
		}
	}
	return list
}
