package picture

import (
	"slices"
	"strings"
)

// Word is one of the contract's words, as pictures and pages explain it.
type Word struct {
	Name, Means string
	How         string // how the figure comes about; "" where there is none
	Command     string // shows it on the command line
}

// Words are those that pages use, in the order in which capacity becomes less.
var Words = []Word{
	{"fleet", "all clusters that one Muster looks after", "", "muster get fleet"},
	{"cluster", "one Kubernetes cluster", "", "muster get fleet"},
	{"partition", "the nodes of one GPU model in one cluster; every figure belongs to one", "", "muster capacity"},
	{"island", "nodes of one partition on one high-bandwidth fabric", "", "muster describe partition tiger/h200"},
	{"installed", "GPUs of all nodes, whatever their state", "nodes × GPUs per node", "muster capacity"},
	{"not delivered", "assigned above what is installed: nodes that were promised and not delivered", "assigned − installed, where positive", "muster haircut plan"},
	{"down", "GPUs of nodes that are not healthy, by the state they are in", "installed − healthy", "muster health"},
	{"healthy", "GPUs of nodes in state healthy; only these can be promised", "installed − down", "muster capacity"},
	{"usable", "healthy GPUs, those of nodes in probation, and the good ones of degraded nodes", "healthy + probation + good GPUs of degraded nodes", "muster capacity"},
	{"stranded", "GPUs that work still holds on nodes that are not usable", "", "muster capacity -o wide"},
	{"buffer", "healthy, and kept back so that ordinary failures change no quota; flex uses it meanwhile", "healthy − promisable", "muster promise"},
	{"promisable", "what the buffer policy allows to be promised now; it falls at once, and rises after a day of better health", "the least, over the last 24 h, of min(healthy nodes, what the policy allows)", "muster capacity"},
	{"sustainable", "what can be promised for 28 days; a grant above it needs --overcommit", "the buffer policy over the long horizon", "muster capacity -o wide"},
	{"unallocated", "promisable, and assigned to no quota", "promisable − assigned, where positive", "muster capacity"},
	{"assigned", "GPUs granted to quotas by people", "the sum of all grants", "muster quota list"},
	{"backed", "the part of a grant that healthy, promisable nodes stand behind now: what a researcher sees as “your quota”", "whole nodes in named islands", "muster quota list"},
	{"unbacked", "granted, with no nodes behind it now", "assigned − backed", "muster quota list"},
	{"usage", "GPUs that workloads of a quota hold or have reserved, however they hold them", "guaranteed + borrowing + unprotected + reserved", "muster quota list"},
	{"scheduled", "the part of backed quota that is in use", "min(usage, backed)", "muster capacity"},
	{"unscheduled", "backed quota that its own work leaves unused", "backed − scheduled", "muster capacity"},
	{"borrowed", "usage above backed that is covered by backing its siblings do not use", "", "muster quota list"},
	{"lent", "backing that a quota does not use and its siblings do", "", "muster quota list"},
	{"over", "usage above backed that nothing covers; gangs are protected whole or not at all, so as much or more is unprotected", "", "muster quota list -o wide"},
	{"idle", "held by in-quota work whose measured utilisation has been under 5 % for 4 h", "", "muster capacity -o wide"},
	{"busy", "scheduled, measured, and not idle; shown where utilisation was measured", "measured − idle", "muster capacity"},
	{"flex", "usable GPUs that no in-quota workload holds or has reserved: open to everybody, and taken back when quota needs it", "(usable − promisable) + unallocated + unscheduled − borrowed − over + stranded in-quota", "muster capacity flex"},
	{"flex used", "flex that workloads hold", "", "muster capacity flex"},
	{"share", "what a namespace may count on of a flex pool: the max-min level over what each holds and asks for", "", "muster capacity flex"},
	{"free", "GPUs that no workload holds or has reserved", "", "muster free"},
	{"largest gang", "the largest gang that could start now in one island", "", "muster free"},
	{"own share", "nodes that the policy lets be promised on the island alone; gangs count on nothing else", "", "muster describe partition tiger/h200"},
	{"gang", "the largest block of a grant that must fit in one island", "", "muster quota list"},
	{"guaranteed", "held within the quota's backing: only more important work of the same quota may take it", "", "muster job list"},
	{"borrowing", "held with what siblings leave unused; given back when they need it", "", "muster job list"},
	{"unprotected", "GPUs of work that its quota's backing no longer covers: it runs until covered work needs them. At least what is over (cut)", "", "muster job list"},
	{"waiting", "workloads that wait", "", "muster job list --waiting"},
	{"evictions", "times that it was evicted to make room for other work", "", "muster job list -o wide"},
	{"highest use", "the highest usage of the last 90 days", "", "muster report quotas"},
	{"claimed", "the share of its promises that a buffer policy says it keeps", "", "muster promise"},
	{"realised", "the share of the promises judged so far that were kept", "kept ÷ (kept + broken)", "muster promise"},
	{"promised", "nodes that were promised to stay healthy", "the most of the promises that broke", "muster promise broken"},
	{"whole", "nodes that were healthy, every GPU of them", "", "muster promise broken"},
	{"broken", "promises that were not kept: fewer nodes stayed healthy than were promised; one is made at each full hour", "", "muster promise broken"},
	{"kept", "promises whose nodes stayed whole until their time was over", "", "muster promise"},
	{"probation", "back from repair, and serving flex only until it is over", "since it came back + 24 h", "muster coming"},
	{"dwell", "how long promisable stays low after health has improved", "since it came back + 24 h", "muster coming"},
	{"hold", "GPUs set aside for a quota, or inside it for a user or a namespace, until a date", "", "muster coming"},
	{"grant", "GPUs of a quota's grant that end by themselves at a moment", "", "muster coming"},
	{"work", "GPUs that a workload frees when it reaches the end that it declared", "start + declared maximum run time", "muster coming"},
	{"maintenance", "GPUs of nodes under maintenance, now or from a moment to come: nothing is scheduled there until they are released", "", "muster coming"},
	{"zone", "a no-fly zone: no visit of a node begins or reaches into it", "", "muster nfz list"},
	{"incident", "GPUs that an open incident takes", "", "muster incident list"},
	{"wave", "GPUs that a reviewed haircut would take from assigned, once a person applies it", "", "muster haircut list"},
	{"arrival", "GPUs of a cluster that is built: they count as installed once it is in production", "its p90", "muster cluster list"},
	{"delivery", "GPUs assigned that are not installed", "assigned − installed", "muster coming"},
	{"mean buffer", "the share of nodes that was kept back, on average; a fixed buffer is rounded up to whole nodes", "(installed − promised) ÷ installed, as nodes", "muster promise"},
	{"MTTR", "the mean time until a failed node is healthy again", "", "muster mttr"},
	{"uptime", "the share of the time of work that neither hardware nor maintenance took; evictions are counted apart", "", "muster targets"},
	{"availability", "the share of installed GPU-time that was usable", "", "muster targets"},
	{"lemon", "a node that fails far more often than the fleet", "", "muster lemons"},
}

func lookUp(name string) Word {
	i := slices.IndexFunc(Words, func(w Word) bool { return w.Name == name })
	if i < 0 {
		return Word{Name: name, Means: name}
	}
	return Words[i]
}

// Define is what a hover says of a figure: its word, what it means, how it comes about.
func Define(name string) string {
	w := lookUp(name)
	if w.How == "" {
		return w.Name + ": " + w.Means
	}
	return w.Name + ": " + w.Means + " (" + w.How + ")"
}

// Anchor is where the page of words explains a word.
func Anchor(name string) string { return strings.ReplaceAll(name, " ", "-") }
