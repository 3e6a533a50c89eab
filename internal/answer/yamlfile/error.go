package yamlfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error says what is wrong in a file, where, and what would be right.
type Error struct {
	File    string
	Line    int // from 1; 0 where the file as a whole is meant
	Message string
	NotYet  bool // the words are right, but this Muster cannot do it yet
}

func (e Error) Error() string {
	place := e.File
	if e.Line > 0 {
		place += ":" + strconv.Itoa(e.Line)
	}
	if e.NotYet {
		place = "not yet: " + place
	}
	return place + ": " + e.Message
}

// Errors is all that is wrong in one file, in order of line.
type Errors []Error

// shown is how many errors of one file are printed: a file that is wrong in a
// thousand places is wrong in one.
const shown = 20

func (e Errors) Error() string {
	var lines []string
	for _, one := range e[:min(len(e), shown)] {
		lines = append(lines, one.Error())
	}
	if more := len(e) - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more", e[0].File, more))
	}
	return strings.Join(lines, "\n")
}

// NotYet says whether the file is right and only asks for what cannot be done yet.
func (e Errors) NotYet() bool {
	for _, one := range e {
		if !one.NotYet {
			return false
		}
	}
	return len(e) > 0
}

// echoed is how many characters of the text a message repeats.
const echoed = 60

// Clip shortens a text for a message, and says how long it was.
func Clip(text string) string {
	head, length := cut(text)
	if head == text {
		return text
	}
	return fmt.Sprintf("%s… (%d characters)", head, length)
}

// Quote is Clip in quotes, with what cannot be printed escaped.
func Quote(text string) string {
	head, length := cut(text)
	if head == text {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("%q… (%d characters)", head, length)
}

// cut is the part of a text that a message repeats, and how many characters it has in all.
func cut(text string) (head string, length int) {
	end := 0
	for range echoed {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end], utf8.RuneCountInString(text)
}
