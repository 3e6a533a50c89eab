package fleet

import "strings"

// OutageCause makes a signal a cause: what was seen and its code, without what
// differs from case to case, so that causes stay few. Who saw it, on which GPU, and
// what it means are left out, and XID 79 is one cause whatever the check is called.
func OutageCause(signal string) string {
	cause := strings.TrimPrefix(signal, "over: ")
	for _, end := range []string{":", " on ", " ("} {
		cause, _, _ = strings.Cut(cause, end)
	}
	cause = strings.TrimSpace(cause)
	if check, code, ok := strings.Cut(cause, " "); ok && isNumber(code) && strings.Contains(strings.ToUpper(check), "XID") {
		cause = "XID " + code
	}
	if r := []rune(cause); len(r) > 40 {
		cause = string(r[:40])
	}
	return cause
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
