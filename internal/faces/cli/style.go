package cli

// style is a colour. Colour only repeats what the text says already.
type style string

const (
	uncoloured style = ""
	good       style = "\x1b[32m"
	waiting    style = "\x1b[33m"
	bad        style = "\x1b[31m"
	strong     style = "\x1b[1m"
	faint      style = "\x1b[2m"
	tinted     style = "\x1b[36m"
)

// paint says whether colours are used at all.
type paint bool

func (p paint) paint(s style, text string) string {
	if !p || s == uncoloured || text == "" {
		return text
	}
	return string(s) + text + "\x1b[0m"
}

// painter uses colour on a terminal only, and not where NO_COLOR is set.
func (e *Env) painter() paint {
	return paint(e.OutTerminal && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb")
}

// stateStyles are the colours of states of workloads and nodes.
var stateStyles = map[string]style{
	"running": good, "healthy": good, "finished": faint, "cancelled": faint, "retired": faint,
	"pending": waiting, "starting": waiting, "evicting": waiting, "mending": waiting,
	"probation": waiting, "suspect": waiting, "maintenance": waiting, "degraded": waiting,
	"failed": bad, "quarantined": bad, "repairing": bad, "validating": bad,
}

func state(word string) mark { return mark{word, stateStyles[word]} }
