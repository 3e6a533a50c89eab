package azurequota

import (
	"context"
	"errors"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
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
	chain, err := azidentity.NewChainedTokenCredential(list, nil)
	if err != nil {
		return nil, err
	}
	return identity{chain}, nil
}

// identity says what to do where no token is to be had.
type identity struct{ azcore.TokenCredential }

func (i identity) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	token, err := i.TokenCredential.GetToken(ctx, o)
	if err != nil {
		return token, &noTokenError{err}
	}
	return token, nil
}

// noTokenError says that Azure gives the server no token, and how it gets one.
type noTokenError struct{ err error }

func (e *noTokenError) Error() string {
	return "the server got no token (" + brief(e.err.Error()) + "): run it with a workload or managed identity, or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET"
}

func (e *noTokenError) Unwrap() error { return e.err }
