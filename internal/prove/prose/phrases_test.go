package prose

import (
	"regexp"
	"strings"
)

// A phrase is wording that may not stand in prose, and what to write instead.
type phrase struct {
	wrong   *regexp.Regexp
	instead string
}

func avoid(pattern, instead string) phrase {
	return phrase{regexp.MustCompile(`(?i)` + pattern), instead}
}

// phrases is the table of docs/plain-english.md, with its kin. The
// first group are riddles that users met, the second comes from comments.
var phrases = []phrase{
	avoid(`\baccus(e|es|ed|ing)\b`, `"flagged", and "possible false alarm" where it may be one`),
	avoid(`\bas likely as not\b`, `"the median (p50)"`),
	avoid(`\bnine times out of ten\b`, `"p90"`),
	avoid(`\bkeeps? back somewhat\b|\bno whole number\b`, `"rounded up to whole nodes"`),
	avoid(`\bfinding out (takes|would)\b`, `"not known: the search stopped after 2 s"`),
	avoid(`\bby no time\b`, `"will not start by waiting", with what it needs`),
	avoid(`\bspeaks? against\b`, `"no health signals for this node"`),
	avoid(`\bwho has of\b`, `"use by namespace"`),
	avoid(`\bfacts? that would be written\b`, `"would write 3 events"`),
	avoid(`^leave it$`, `"Cancel"`),
	avoid(`\bnobody holds\b`, `"free"`),
	avoid(`(\bnumber \d+|%d) becomes? unprotected\b`, `the names: "oak/train (12 replicas, 96 GPUs) becomes unprotected"`),
	avoid(`\bnot (unlike|uncommon|unusual|impossible|without)\b`, `the same without two negatives`),

	avoid(`\b(nobody|somebody|whoever)\b`, `the subject: "no workload", "an operator", "the workload that waits"`),
	avoid(`\bwho (wait|run|stand|lack|borrow|sleep|fit|start|leave|stay|need|come|overran|evict)s?\b`, `the subject: "a workload that waits"`),
	avoid(`\bwho (was|were) (asked|barred|evicted|started|tried)\b`, `the subject: "a workload that was tried"`),
	avoid(`\b(he|him|his)\b`, `"it" for a workload, "they" for a person`),
	avoid(`\bin vain\b`, `"without success", or what was not found`),
	avoid(`\bbe it\b`, `"whether it is"`),
	avoid(`\bbut for\b`, `"except for", or "were it not for" as a condition`),
	avoid(`\ball the same\b`, `"anyway" or "even so"`),
	avoid(`\bthe very\b`, `"the same" or "this"`),
	avoid(`\b(lest|whereupon|thereof|whence|hitherto|ere)\b`, `today's word`),
	avoid(`\bcom(e|es|ing) into being\b`, `"is created"`),
	avoid(`\bmetal\b`, `"nodes" or "hardware"`),
	avoid(`\b(stranger|strangers)\b`, `"other work", "work that Muster did not start", or "a reader"`),

	avoid(`\b(behavior|favor|honor|neighbor|color|center)(s|ed|ing|ite|hood)?\b`, `British spelling: behaviour, colour, centre`),
	avoid(`(?:^|[^.\w])(labeled|labeling|canceled|canceling|modeled|modeling|traveled|signaled)\b`, `British spelling: labelled, cancelled`),
	avoid(`\b(utili|organi|recogni|normali|optimi|minimi|maximi|summari|priorit|initiali|reali|speciali)z(e|es|ed|ing|ation)\b`, `British spelling: -ise, -isation`),
}

// badNames are words that say nothing of a file's subject in the field's terms.
var badNames = regexp.MustCompile(`(^|/)(vain|tired|along|could|plainly|elsewhere|thin|heir|easy|pushed|called|tales|door|sound|spare|asked|harmless)(_test)?\.go$`)

// anyPhrase is all of them at once: most passages have none, and are read once.
var anyPhrase = func() *regexp.Regexp {
	var all []string
	for _, f := range phrases {
		all = append(all, f.wrong.String())
	}
	return regexp.MustCompile(strings.Join(all, "|"))
}()

// people is a person just before "who": a person may run something, work is not "who".
var people = regexp.MustCompile(`(?i)\b(people|persons?|users?|operators?|owners?|readers?|researchers?|engineers?|managers?|leads?|teams?|members?|(any|every)(one|body)|those|others|all|one)[,;]?\s$`)

// phrasesIn lists what is wrong with the wording of a text.
func phrasesIn(p passage) []fault {
	if !anyPhrase.MatchString(p.text) {
		return nil
	}
	var found []fault
	for _, f := range phrases {
		for _, at := range f.wrong.FindAllStringIndex(p.text, -1) {
			if strings.HasPrefix(strings.ToLower(p.text[at[0]:at[1]]), "who ") && people.MatchString(p.text[:at[0]]) {
				continue
			}
			found = append(found, p.fault(at[0], "says %q; write %s", p.text[at[0]:at[1]], f.instead))
		}
	}
	return found
}
