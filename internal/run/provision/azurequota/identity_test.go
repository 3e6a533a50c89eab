package azurequota

import (
	"errors"
	"strings"
	"testing"

	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/Azure/azure-sdk-for-go/sdk/resourcemanager/compute/armcompute/v8/fake"
)

// A server that is started without an identity says how it gets one.
func TestAServerWithoutAnIdentity(t *testing.T) {
	none := &azfake.TokenCredential{}
	none.SetError(errors.New("chain: failed to acquire a token.\nAttempted credentials: none"))
	_, err := New(identity{none}, fake.NewUsageServerTransport(&fake.UsageServer{})).Counts(t.Context(), "sub-1", "eastus")
	const want = "azure could not be asked for the usage of sub-1 in eastus: the server got no token (chain: failed to acquire a token): run it with a workload"
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v", err)
	}
}
