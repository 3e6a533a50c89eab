package prose

import (
	"regexp"
	"strings"
)

// The bounds that the best of the documents keep.
const (
	longestSentence = 40 // words
	longestMean     = 20 // words, over a document of at least tenSentences
	tenSentences    = 10
)

// sentenceEnd is a full stop, question or exclamation mark before a space and
// something that starts a sentence (a file's name does, too), or an empty line. A row of a table in a
// help text, a word and two spaces, is a sentence of its own. Abbreviations in the middle
// of a sentence are followed by a small letter, so they do not end it.
var sentenceEnd = regexp.MustCompile("[.!?][)\"”*]?\\s+(?:[A-Z0-9`\"“(*_…/§%-]|[a-z_]+[.]go|[-a-z]+:)|\n\\s*\n|\n +\\S+(?: \\S+)?  +")

// sentence is a part of a passage, by its offset.
type sentence struct {
	at    int
	words int
}

// sentences splits a passage.
func sentences(p passage) []sentence {
	var list []sentence
	start := 0
	for _, end := range append(sentenceEnd.FindAllStringIndex(p.text, -1), []int{len(p.text), len(p.text) + 1}) {
		if n := words(p.text[start:min(end[0]+1, len(p.text))]); n > 0 {
			list = append(list, sentence{start, n})
		}
		start = min(end[0]+1, len(p.text))
	}
	return list
}

// words counts what has a letter in it.
func words(text string) int {
	n := 0
	for field := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(field, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) {
			n++
		}
	}
	return n
}

// tooLong lists the sentences of a passage over the bound.
func tooLong(p passage) []fault {
	var found []fault
	for _, s := range sentences(p) {
		if s.words > longestSentence {
			found = append(found, p.fault(s.at, "is a sentence of %d words; split it, one fact each, at most %d words", s.words, longestSentence))
		}
	}
	return found
}

// meanTooLong says whether a document's sentences are too long on the mean. Cells
// of tables and headings are not sentences.
func meanTooLong(file string, passages []passage) []fault {
	total, count := 0, 0
	for _, p := range passages {
		if p.kind != document {
			continue
		}
		for _, s := range sentences(p) {
			total, count = total+s.words, count+1
		}
	}
	if count < tenSentences || total <= longestMean*count {
		return nil
	}
	return []fault{{file, 1, sprintf("has sentences of %d words on the mean; at most %d", (total+count-1)/count, longestMean)}}
}
