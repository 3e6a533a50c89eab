package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Letter is what one owner is to be told about a haircut, in plain words.
type Letter struct {
	Owner    string   `json:"owner"` // "": these quotas have no known owner
	Quotas   []string `json:"quotas"`
	Subject  string   `json:"subject"`
	Text     string   `json:"text"`
	Markdown string   `json:"markdown"`
}

// line is one cut with where it stands.
type line struct {
	cut  fleet.Cut
	part *fleet.CutPart
	wave int
}

// Letters are the messages for the people whom a haircut concerns: one for each
// owner, in order of name.
func Letters(h *fleet.Haircut) []Letter {
	by := map[string][]line{}
	for w := range h.Waves {
		for p := range h.Waves[w].Parts {
			part := &h.Waves[w].Parts[p]
			for _, c := range part.Cuts {
				by[c.Owner] = append(by[c.Owner], line{c, part, w + 1})
			}
		}
	}
	var letters []Letter
	for owner, lines := range by {
		letters = append(letters, letter(h, owner, lines))
	}
	slices.SortFunc(letters, func(a, b Letter) int { return cmp.Compare(a.Owner, b.Owner) })
	return letters
}

func letter(h *fleet.Haircut, owner string, lines []line) Letter {
	l := Letter{Owner: owner}
	for _, x := range lines {
		if !slices.Contains(l.Quotas, x.cut.Quota) {
			l.Quotas = append(l.Quotas, x.cut.Quota)
		}
	}
	l.Subject = "GPU quota changes: " + strings.Join(l.Quotas, ", ")
	l.Text, l.Markdown = body(h, owner, lines, plainWords), l.Subject
	l.Markdown = "## " + l.Subject + "\n\n" + body(h, owner, lines, markdown)
	return l
}

// dress is how a message is written down.
type dress struct {
	strong func(string) string
	cuts   func([]line) string
	item   string
}

var plainWords = dress{
	strong: func(s string) string { return s },
	cuts: func(lines []line) string {
		var b strings.Builder
		for _, x := range lines {
			fmt.Fprintf(&b, "  %s in %s: %d -> %d GPUs (%d less, wave %d). It uses %d now; the most in 90 days was %d.%s\n",
				x.cut.Quota, x.part.Partition, x.cut.Was, x.cut.Now, x.cut.GPUs(), x.wave, x.cut.Usage, x.cut.Highest, belowGang(x.cut))
		}
		return b.String()
	},
	item: "  ",
}

var markdown = dress{
	strong: func(s string) string { return "**" + s + "**" },
	cuts: func(lines []line) string {
		var b strings.Builder
		b.WriteString("| quota | partition | GPUs now | GPUs then | in use | most in 90 days | wave |\n| --- | --- | --: | --: | --: | --: | --: |\n")
		for _, x := range lines {
			fmt.Fprintf(&b, "| %s | %s | %d | **%d** | %d | %d | %d |\n",
				x.cut.Quota, x.part.Partition, x.cut.Was, x.cut.Now, x.cut.Usage, x.cut.Highest, x.wave)
		}
		for _, x := range lines {
			if text := belowGang(x.cut); text != "" {
				fmt.Fprintf(&b, "\n%s in %s:%s\n", x.cut.Quota, x.part.Partition, text)
			}
		}
		return b.String()
	},
	item: "- ",
}

func belowGang(c fleet.Cut) string {
	if !c.BelowGang() {
		return ""
	}
	return fmt.Sprintf(" The gang of %d GPUs that it declares no longer fits: nothing else was left to cut.", c.Gang)
}

func body(h *fleet.Haircut, owner string, lines []line, d dress) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Hello %s,\n\n%s\n", cmp.Or(owner, "all who use these quotas"), d.strong("What changes."))
	b.WriteString(d.cuts(lines))
	fmt.Fprintf(&b, "\n%s\n", d.strong("Why."))
	for _, part := range partsOf(lines) {
		b.WriteString(d.item + because(h, part) + "\n")
	}
	fmt.Fprintf(&b, "\n%s\n", d.strong("What runs now."))
	for _, text := range running(lines) {
		b.WriteString(d.item + text + "\n")
	}
	fmt.Fprintf(&b, "\n%s\n", d.strong("If you need more."))
	for _, part := range partsOf(lines) {
		fmt.Fprintf(&b, "%sIn %s %d GPUs are flex then: everyone may use them, at once, without quota. Flex work gives way when quota needs its room, so save checkpoints (--target flex).\n",
			d.item, part.Partition, part.FlexAfter)
	}
	fmt.Fprintf(&b, "\nThe plan is %s, made by %s. Each wave can be undone. Tell us before it is applied if something here is wrong.\n", cmp.Or(h.Name, "a draft"), h.By)
	return b.String()
}

// partsOf are the partitions of some lines, each once.
func partsOf(lines []line) []*fleet.CutPart {
	var parts []*fleet.CutPart
	for _, x := range lines {
		if !slices.Contains(parts, x.part) {
			parts = append(parts, x.part)
		}
	}
	return parts
}

func because(h *fleet.Haircut, p *fleet.CutPart) string {
	text := fmt.Sprintf("In %s people were granted %d GPUs, and %d can be promised for good.", p.Partition, p.Assigned, p.Sustainable)
	if p.Excess == 0 {
		return text + " Every grant gives up the share that is kept back for failing nodes."
	}
	var causes []string
	for _, c := range p.Causes {
		causes = append(causes, fmt.Sprintf("%d %s", c.GPUs, causeSays(c.Cause)))
	}
	text += fmt.Sprintf(" The %d above that: %s.", p.Excess, strings.Join(causes, "; "))
	if len(p.Incidents) > 0 {
		text += " See " + strings.Join(p.Incidents, ", ") + "."
	}
	if h.Basis == fleet.BasisQuota {
		text += " Every grant gives up the same share."
	}
	return text
}

// causeSays says a cause after its number of GPUs, to people who do not know the
// plan's words: what the policy keeps back stands on healthy nodes, only it
// cannot be promised.
func causeSays(cause string) string {
	switch cause {
	case haircut.NeverDelivered:
		return "were never delivered"
	case haircut.OverAssigned:
		return "are the buffer, kept back even while every node is healthy, so that a failing node changes no quota"
	case haircut.Quarantined:
		return "are missing because nodes are suspect, quarantined or degraded"
	case haircut.Repair:
		return "are missing because nodes are being repaired, validated or on probation"
	case haircut.InMaintenance:
		return "are missing because nodes are in maintenance"
	case haircut.Retired:
		return "are missing because nodes are retired"
	case haircut.Recent:
		return "are on nodes that are back, but not for long enough to count on"
	}
	return cause
}

// running says what the cut does to work that runs, as trying it showed.
func running(lines []line) []string {
	mine, texts := map[string]bool{}, []string{}
	for _, x := range lines {
		mine[x.cut.Quota] = true
	}
	for _, part := range partsOf(lines) {
		for _, t := range part.Unprotected {
			if mine[t.Quota] {
				texts = append(texts, fmt.Sprintf("%s runs on, but %d of its GPUs in %s become unprotected: it may have to leave when work inside its quota needs them.", t.Workload, t.GPUs, part.Partition))
			}
		}
		for _, t := range part.Evicted {
			if mine[t.Quota] {
				texts = append(texts, fmt.Sprintf("%s gives way with %d GPUs in %s to work that starts then.", t.Workload, t.GPUs, part.Partition))
			}
		}
	}
	if len(texts) == 0 {
		return []string{"Nothing that runs is lost, and nothing that runs becomes less safe: this was tried on a copy of the fleet."}
	}
	return append(texts, "Nothing else that runs is touched: this was tried on a copy of the fleet.")
}
