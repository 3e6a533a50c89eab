package frame

import (
	"testing"

	"connectrpc.com/connect"
)

// An owner of a quota helps where a quota is concerned, and nowhere else.
func TestWhoIsNotAllowedIsSentToWhoCanHelp(t *testing.T) {
	for text, want := range map[string]string{
		"user:vic is not an operator and has no role to read logs":  "Ask an operator.",
		"no role of user:vic reaches quota research/oak, where ...": "Ask an operator, or an owner of the quota.",
	} {
		is := trouble{text: text}
		is.classify(connect.CodePermissionDenied)
		if is.next != want {
			t.Errorf("%q is sent to %q, want %q", text, is.next, want)
		}
	}
}
