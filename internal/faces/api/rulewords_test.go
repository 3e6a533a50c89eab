package api

import (
	"errors"
	"strings"
	"testing"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// No answer repeats the validator: each says what is wrong, and what would be right.
func TestBrokenRulesAreToldInWords(t *testing.T) {
	for want, m := range map[string]proto.Message{
		"account: is empty; write at least 1 character":        &musterv1.CreateTokenRequest{Days: 3},
		"updates: is missing; name at least one":               &musterv1.StartRolloutRequest{Name: "a", Scope: "fleet"},
		"limit: -1 is out of range; write a number from 0 to ": &musterv1.HistoryRequest{Limit: -1},
		"gpus: -8 is ": &musterv1.TransferRequest{From: "a", To: "b", Partition: "t/h", Gpus: -8},
	} {
		var invalid *protovalidate.ValidationError
		if err := protovalidate.Validate(m); !errors.As(err, &invalid) {
			t.Fatalf("%T is taken: %v", m, err)
		}
		got := ""
		for _, f := range violations(invalid) {
			got += f.GetField() + ": " + f.GetMessage() + "\n"
		}
		if !strings.Contains(got, want) || strings.Contains(got, "must") || strings.Contains(got, "item(s)") {
			t.Errorf("told %q, want %q", got, want)
		}
	}
}
