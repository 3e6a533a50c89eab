package api

import (
	"testing"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/internal/decide/core"
)

// docs/refusals.md says which code of the protocol each code has; this is where it is so.
func TestEveryCodeHasACodeOfTheProtocol(t *testing.T) {
	for _, row := range core.Codes() {
		if _, ok := protocolCodes[row.Class]; !ok {
			t.Errorf("%s is of class %q, which has no code of the protocol", row.Code, row.Class)
		}
	}
	if got := fail(&core.Refusal{Code: core.NoSuchNode}).Code(); got != connect.CodeNotFound {
		t.Errorf("NoSuchNode is %v, not not_found", got)
	}
}
