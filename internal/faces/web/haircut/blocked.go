package haircut

import "strings"

// lack is one thing that is missing before a wave, with the command that mends it.
type lack struct{ what, command string }

// sentence begins a refusal with a capital, as a paragraph of a page begins.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// lacking takes why a wave is blocked apart: the sentence, and what is missing.
func lacking(blocked string) (why string, list []lack) {
	why, rest, ok := strings.Cut(blocked, " is not ready for a wave: ")
	if !ok {
		return blocked, nil
	}
	for one := range strings.SplitSeq(rest, "; ") {
		if n := len(list) - 1; n >= 0 && strings.HasPrefix(one, "muster ") {
			list[n].command = command(one)
			continue
		}
		list = append(list, lack{what: one})
	}
	return why + " is not ready for a wave:", list
}

// command is what to type, without what it does.
func command(remedy string) string {
	for _, does := range []string{" names one", " notes it", " makes a plan that names such work"} {
		remedy = strings.TrimSuffix(remedy, does)
	}
	return remedy
}
