package frame

import "strings"

// flagWords are flags of the command line that refusals name, and what pages say for them: a page has fields, no flags.
var flagWords = strings.NewReplacer(
	"say why (--reason)", "say why under Reason",
	" (--reason, --owner, --link)", "",
	" (--reason)", "",
	" (`--reason`)", "",
	"--reason", "Reason",
	" (--overcommit)", "",
	"--overcommit", "overcommit",
	"--canary-anywhere", "canaries outside the scope",
)

// inPageWords says a refusal without flags of the command line.
func inPageWords(says string) string { return flagWords.Replace(says) }
