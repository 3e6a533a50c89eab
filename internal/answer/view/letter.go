package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Letter is what one owner is to be told about a haircut, in plain words.
type Letter struct {
	Owner    string   `json:"owner"` // "": these quotas have no known owner
	Quotas   []string `json:"quotas"`
	Subject  string   `json:"subject"`
	Text     string   `json:"text"`
	Markdown string   `json:"markdown"`
}

// line is what a plan cuts of one quota in one partition, in all its waves together.
type line struct {
	cut       fleet.Cut
	partition string
	steps     []step
	share     fleet.Permille // that a fixed buffer of the plan asks of every grant; 0: it is not one share for all
}

// step is what one wave cuts of it.
type step struct {
	wave string // its number, and what it cuts
	gpus int
}

// concern is what a haircut means to one owner.
type concern struct {
	owner  string
	quotas []string // in the order in which the plan names them
	lines  []line
	parts  []fleet.CutPart // partitions that the owner's quotas or work stand in
	name   func(workload string) string
}

// Letters are the messages for the people whom a haircut concerns: one for each
// owner of a quota that is cut or whose work it touches, in order of name.
func Letters(h *fleet.Haircut) []Letter { return letters(h, func(full string) string { return full }) }

// letters are the same, with work called as their reader may call it.
func letters(h *fleet.Haircut, name func(workload string) string) (list []Letter) {
	for _, c := range concerns(h) {
		c.name = name
		list = append(list, letter(h, c))
	}
	slices.SortFunc(list, func(a, b Letter) int { return cmp.Compare(a.Owner, b.Owner) })
	return list
}

func concerns(h *fleet.Haircut) map[string]*concern {
	by := map[string]*concern{}
	of := func(owner, quota string) *concern {
		if by[owner] == nil {
			by[owner] = &concern{owner: owner}
		}
		c := by[owner]
		if !slices.Contains(c.quotas, quota) {
			c.quotas = append(c.quotas, quota)
		}
		return c
	}
	for _, part := range haircut.Parts(h) {
		owners := map[string]bool{}
		for _, cut := range part.Cuts {
			c := of(cut.Owner, cut.Quota)
			c.lines = append(c.lines, line{cut, part.Partition, stepsOf(h, part.Partition, cut.Quota), shareOf(h)})
			owners[cut.Owner] = true
		}
		for _, t := range part.Touches() {
			owner := ownerOf(h, t)
			owners[owner] = true
			of(owner, t.Quota)
		}
		for owner := range owners {
			by[owner].parts = append(by[owner].parts, part)
		}
	}
	return by
}

// ownerOf is who answers for touched work. Plans of earlier versions say it only
// of quotas that they cut.
func ownerOf(h *fleet.Haircut, t fleet.Touched) string {
	for _, part := range haircut.Parts(h) {
		for _, c := range part.Cuts {
			if t.Owner == "" && c.Quota == t.Quota {
				return c.Owner
			}
		}
	}
	return t.Owner
}

// stepsOf are the waves that cut a quota in a partition.
func stepsOf(h *fleet.Haircut, partition, quota string) (list []step) {
	for i, w := range h.Waves {
		for _, part := range w.Parts {
			for _, cut := range part.Cuts {
				if part.Partition == partition && cut.Quota == quota {
					list = append(list, step{waveWords(i+1, w.Class), cut.GPUs()})
				}
			}
		}
	}
	return list
}

// less says how many GPUs go, and in which waves: "16 less; wave 1, the rest".
func (x line) less() string {
	if len(x.steps) == 1 {
		return fmt.Sprintf("%d less; wave %s", x.cut.GPUs(), x.steps[0].wave)
	}
	var steps []string
	for _, one := range x.steps {
		steps = append(steps, fmt.Sprintf("%d in wave %s", one.gpus, one.wave))
	}
	return fmt.Sprintf("%d less: %s", x.cut.GPUs(), strings.Join(steps, "; "))
}

// waves names the waves in a cell of a table, with what each cuts where there are several.
func (x line) waves() string {
	if len(x.steps) == 1 {
		return x.steps[0].wave
	}
	var steps []string
	for _, one := range x.steps {
		steps = append(steps, fmt.Sprintf("%s: %d", one.wave, one.gpus))
	}
	return strings.Join(steps, "; ")
}

// waveWords is a wave by its number and, where it cuts one class, that class.
func waveWords(number int, class fleet.CutClass) string {
	text := strconv.Itoa(number)
	if class != fleet.CutAll {
		text += ", " + class.Says()
	}
	return text
}

func letter(h *fleet.Haircut, c *concern) Letter {
	l := Letter{Owner: c.owner, Quotas: c.quotas}
	l.Subject = "GPU quota changes: " + strings.Join(l.Quotas, ", ")
	if len(c.lines) == 0 {
		l.Subject = "GPU quota changes that your work feels: " + strings.Join(l.Quotas, ", ")
	}
	l.Text = body(h, c, plainWords)
	l.Markdown = "## " + l.Subject + "\n\n" + body(h, c, markdown)
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
			fmt.Fprintf(&b, "  %s in %s: %s -> %s (%s). It uses %s now; the most in 90 days was %s.%s%s\n",
				x.cut.Quota, x.partition, text.Group(x.cut.Was), text.Count(x.cut.Now, "GPU"), x.less(), text.Group(x.cut.Usage), text.Group(x.cut.Highest), x.asked(), belowGang(x.cut))
		}
		return b.String()
	},
	item: "  ",
}

var markdown = dress{
	strong: func(s string) string { return "**" + s + "**" },
	cuts: func(lines []line) string {
		var b strings.Builder
		b.WriteString("| quota | partition | GPUs now | GPUs then | in use | most in 90 days | wave |\n| --- | --- | --: | --: | --: | --: | --- |\n")
		for _, x := range lines {
			fmt.Fprintf(&b, "| %s | %s | %d | **%d** | %d | %d | %s |\n",
				x.cut.Quota, x.partition, x.cut.Was, x.cut.Now, x.cut.Usage, x.cut.Highest, x.waves())
		}
		for _, x := range lines {
			if text := x.asked() + belowGang(x.cut); text != "" {
				fmt.Fprintf(&b, "\n%s in %s:%s\n", x.cut.Quota, x.partition, text)
			}
		}
		return b.String()
	},
	item: "- ",
}

// shareOf is the share that a plan asks of every grant, where it names a fixed buffer.
func shareOf(h *fleet.Haircut) fleet.Permille {
	if h.Basis != fleet.BasisQuota || h.Buffer == nil || h.Buffer.Learns() {
		return 0
	}
	return h.Buffer.Share
}

// asked says why a cut is not what was asked of its quota.
func (x line) asked() string {
	if c := x.cut; c.Why == "" || c.Asked == 0 || c.Was == 0 {
		return ""
	}
	return fmt.Sprintf(" Its part of what is to be cut in the partition, in proportion to its grant, would be %s (%s) in all waves together. The plan differs, because %s.",
		text.Count(x.cut.Asked, "GPU"), x.ofGrant(), x.cut.Why.Says())
}

// ofGrant says which share of its grant is asked, and that rounding made it another one than the buffer's.
func (x line) ofGrant() string {
	asked, grant := x.cut.Asked, x.cut.Was
	is := fmt.Sprintf("%.0f %% of its grant", 100*float64(asked)/float64(grant))
	if x.share == 0 || asked*1000 == grant*int(x.share) {
		return is
	}
	return fmt.Sprintf("%s of its grant, in whole GPUs", x.share.Percent())
}

func belowGang(c fleet.Cut) string {
	if !c.BelowGang() {
		return ""
	}
	return fmt.Sprintf(" The gang of %s that it declares no longer fits: nothing else was left to cut.", text.Count(c.Gang, "GPU"))
}

func body(h *fleet.Haircut, c *concern, d dress) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Hello %s,\n\n%s\n", cmp.Or(c.owner, "all who use these quotas"), d.strong("What changes."))
	if len(c.lines) == 0 {
		b.WriteString(d.item + "None of your quotas is cut. Cuts of other quotas touch work of yours.\n")
	} else {
		b.WriteString(d.cuts(c.lines))
	}
	fmt.Fprintf(&b, "\n%s\n", d.strong("When."))
	for _, text := range whenOf(h, c) {
		b.WriteString(d.item + text + "\n")
	}
	fmt.Fprintf(&b, "\n%s\n", d.strong("Why."))
	if h.Reason != "" {
		fmt.Fprintf(&b, "%sThe reason that was given: %s.\n", d.item, strings.TrimRight(h.Reason, ". "))
	}
	for _, part := range c.parts {
		b.WriteString(d.item + because(h, &part) + "\n")
	}
	fmt.Fprintf(&b, "\n%s\n", d.strong("What runs now."))
	for _, text := range running(h, c) {
		b.WriteString(d.item + text + "\n")
	}
	fmt.Fprintf(&b, "\n%s\n", d.strong("If you need more."))
	for _, part := range c.parts {
		fmt.Fprintf(&b, "%sIn %s %s flex then, those included that flex work uses already: everyone may use what is free of them without quota. Flex work gives way when quota needs its room, so save checkpoints (--target flex).\n",
			d.item, part.Partition, text.Counted(part.FlexAfter, "GPU is", "GPUs are"))
	}
	fmt.Fprintf(&b, "\nThe plan is %s, made by %s. Each wave can be undone. Tell us before it is applied if something here is wrong.\n", cmp.Or(h.Name, "a draft"), h.By)
	return b.String()
}

// whenOf says when the waves that concern an owner come into force, or came.
func whenOf(h *fleet.Haircut, c *concern) (list []string) {
	open := false
	for i, w := range h.Waves {
		if !reaches(w, c) {
			continue
		}
		switch {
		case w.Done():
			list = append(list, fmt.Sprintf("Wave %d is in force since %s.", i+1, text.Weekday(w.Applied.Time())))
		case w.Undone != 0:
			list = append(list, fmt.Sprintf("Wave %d was taken back on %s.", i+1, text.Weekday(w.Undone.Time())))
		default:
			open = true
		}
	}
	switch {
	case !open:
	case h.Effective != 0:
		list = append(list, "Nothing changes before "+text.Weekday(h.Effective.Time())+". From then on an operator puts the waves into force, one after the other.")
	default:
		list = append(list, "No day is set. An operator puts the waves into force one after the other, once all who are concerned were told.")
	}
	return list
}

// reaches says whether a wave has to do with a partition that concerns an owner.
func reaches(w fleet.Wave, c *concern) bool {
	return slices.ContainsFunc(w.Parts, func(p fleet.CutPart) bool {
		return slices.ContainsFunc(c.parts, func(q fleet.CutPart) bool { return p.Partition == q.Partition })
	})
}

func because(h *fleet.Haircut, p *fleet.CutPart) string {
	if p.Excess == 0 {
		return fmt.Sprintf("Every grant in %s is asked for the same share, as decided%s. Nodes are cut whole and gangs are kept where that can be, so the cuts differ. It is not because too much is granted: %s granted, and %s can be.", p.Partition, decided(h), text.Counted(p.Assigned, "GPU is", "GPUs are"), text.Group(p.Sustainable))
	}
	text := fmt.Sprintf("In %s people were granted %s, and %s can be promised for good.", p.Partition, text.Count(p.Assigned, "GPU"), text.Group(p.Sustainable))
	var causes []string
	for _, c := range p.Causes {
		causes = append(causes, fmt.Sprintf("%d %s", c.GPUs, causeSays(c.Cause)))
	}
	text += fmt.Sprintf(" The %d above that: %s.", p.Excess, strings.Join(causes, "; "))
	if len(p.Incidents) > 0 {
		text += " See " + strings.Join(p.Incidents, ", ") + "."
	}
	if h.Basis == fleet.BasisQuota {
		text += " Every grant is asked for the same share."
	}
	return text
}

// decided says who decided on a haircut, and why.
func decided(h *fleet.Haircut) string {
	says := ""
	if h.By != "" {
		says = " by " + h.By
	}
	if h.Reason != "" {
		says += " (reason: " + h.Reason + ")"
	}
	return says
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
