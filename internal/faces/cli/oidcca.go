package cli

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/spf13/pflag"
)

// OIDCAFlag is the flag of the servers, and of `muster login`, that names a provider's authority.
func OIDCAFlag(f *pflag.FlagSet, file *string) {
	f.StringVar(file, "oidc-ca", "", "PEM file of the authority that signed the provider's certificate, beside those that this machine trusts")
}

// ProviderClient asks a provider whose certificate one of a file's authorities signed, or one that
// this machine trusts; file "": these alone. No answer takes longer than patience.
func ProviderClient(file string, patience time.Duration) (*http.Client, error) {
	c := &http.Client{Timeout: patience}
	if file == "" {
		return c, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--oidc-ca: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a machine without any trusts none
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, usage("--oidc-ca %.200q has no certificate in it; it is a PEM file, with lines BEGIN CERTIFICATE", file)
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	c.Transport = t
	return c, nil
}
