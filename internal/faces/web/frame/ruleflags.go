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
	"with --early and a reason", "with the box for it ticked and a reason",
	"propose it with --propose", "propose it with the box for it",
	"--canary-anywhere", "canaries outside the scope",
)

// InPageWords says a refusal without flags of the command line.
func InPageWords(says string) string { return flagWords.Replace(says) }
