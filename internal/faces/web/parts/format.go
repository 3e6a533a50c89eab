package parts

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Links makes addresses of pages; frame.Visit does, for the moment that its page is about.
type Links interface {
	// To is the address of a path with names and values of its query.
	To(path string, query ...string) string
}

// NodeStates are the states of nodes that have a sign of their own.
var NodeStates = []string{"suspect", "degraded", "quarantined", "repairing", "validating", "probation", "maintenance", "retired"}

// Plain writes a number without separators.
func Plain(n int) string { return strconv.Itoa(n) }

// Short cuts a text to so many letters.
func Short(s string, n int) string {
	return text.Clip(s, n)
}

// OrUnknown is the cause of a failure, or that none is named.
func OrUnknown(cause string) string {
	if cause == "" {
		return "no cause named"
	}
	return cause
}

// OrNobody is a name, or that there is none.
func OrNobody(name string) string {
	if name == "" {
		return "nobody"
	}
	return name
}

// OrNoOwner is the name of an owner, or that there is none.
func OrNoOwner(name string) string {
	if name == "" {
		return "no owner"
	}
	return name
}

// Stamp writes a moment as addresses have it.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Clock writes a moment as pages show it: in UTC, with the day where it is not today's.
func Clock(t, now time.Time) string {
	t = t.UTC()
	switch {
	case t.IsZero():
		return "–"
	case t.Format("2006-01-02") == now.UTC().Format("2006-01-02"):
		return t.Format("15:04:05")
	case t.Year() == now.Year():
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2 Jan 2006 15:04")
}

// Span writes a length of time; "" for none.
func Span(d *durationpb.Duration) string {
	if d == nil {
		return ""
	}
	return text.Duration(d.AsDuration())
}

// Search is how long an address asks to search; nil: as long as usual.
func Search(q url.Values) *durationpb.Duration {
	d, err := time.ParseDuration(q.Get("search"))
	if err != nil || d <= 0 {
		return nil
	}
	return durationpb.New(d)
}

// unbroken writes a command line, its flags marked: a browser would break them behind their hyphens.
func unbroken(line string) string {
	words := strings.Split(line, " ")
	for i, w := range words {
		words[i] = templ.EscapeString(w)
		if strings.HasPrefix(w, "-") {
			words[i] = `<span class="unbroken">` + words[i] + "</span>"
		}
	}
	return strings.Join(words, " ")
}

// wholes are what reads wrongly in two lines: a share with its sign, and words with a hyphen or a slash inside, as names of nodes and
// workloads and dates have.
var wholes = regexp.MustCompile(`[0-9][0-9.,]* %|[^\s]*[^\s-][-/][^\s-][^\s]*`)

// whole writes a text, what must not break in it marked: a browser would break it behind its hyphens.
func whole(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range wholes.FindAllStringIndex(text, -1) {
		b.WriteString(templ.EscapeString(text[at:m[0]]))
		b.WriteString(`<span class="name">` + templ.EscapeString(text[m[0]:m[1]]) + "</span>")
		at = m[1]
	}
	b.WriteString(templ.EscapeString(text[at:]))
	return b.String()
}

// Lasted writes a length of time in at most two units: 45s, 5m20s, 3h10m, 2d4h.
func Lasted(d time.Duration) string { return text.About(max(0, d)) }

// source is where a figure leads: to a page that says more, or to what its word means.
func source(l Links, word, path string) templ.SafeURL {
	if path != "" {
		return templ.SafeURL(path)
	}
	return templ.SafeURL(l.To("/words") + "#" + picture.Anchor(word))
}

// SafeLink says whether a link that a person typed may be followed.
func SafeLink(link string) bool {
	return strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "http://")
}

// Day writes a moment with its day of the week, in UTC.
func Day(t time.Time) string { return text.Weekday(t) }
