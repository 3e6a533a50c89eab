package azurequota

import (
	"errors"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

// Identity is who asks Azure: the workload's identity, what the environment names
// (AZURE_CLIENT_ID and the rest), or the machine's own, in this order.
func Identity() (azcore.TokenCredential, error) {
	var list []azcore.TokenCredential
	var why []error
	keep := func(c azcore.TokenCredential, err error) {
		if err != nil {
			why = append(why, err)
			return
		}
		list = append(list, c)
	}
	w, err := azidentity.NewWorkloadIdentityCredential(nil)
	keep(w, err)
	e, err := azidentity.NewEnvironmentCredential(nil)
	keep(e, err)
	m, err := azidentity.NewManagedIdentityCredential(nil)
	keep(m, err)
	if len(list) == 0 {
		return nil, fmt.Errorf("azure: no identity: %w", errors.Join(why...))
	}
	return azidentity.NewChainedTokenCredential(list, nil)
}
