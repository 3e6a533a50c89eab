package link

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// This file is the agent's side of a renewal: it makes a key, asks for a certificate with it, and
// takes the certificate that it is given. renewal.go is the server's.

// keyring is what an agent holds of its own identity beside the file.
type keyring struct {
	mu      sync.Mutex
	pending *ecdsa.PrivateKey // whose request is on its way
	newer   *identity         // that could not be written to the file; nil: none
}

// current is the agent's identity: of the file, or the newer one where that cannot be written.
func (a *Agent) current() (*identity, error) {
	is, err := readIdentity(a.Identity)
	a.keys.mu.Lock()
	defer a.keys.mu.Unlock()
	newer := a.keys.newer
	if newer != nil && (err != nil || newer.Cluster == is.Cluster && newer.cert.Leaf.NotAfter.After(is.cert.Leaf.NotAfter)) {
		return newer, nil
	}
	return is, err
}

// request makes a key and asks for a certificate with it.
func (a *Agent) request(w http.ResponseWriter, _ *http.Request) {
	is, err := a.current()
	var key *ecdsa.PrivateKey
	if err == nil {
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	var der []byte
	if err == nil {
		der, err = x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: is.Cluster}}, key)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	a.keys.mu.Lock()
	a.keys.pending = key
	a.keys.mu.Unlock()
	_ = pem.Encode(w, &pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
}

// renewed takes a certificate that was asked for.
func (a *Agent) renewed(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(io.LimitReader(r.Body, mostPEM))
	if err == nil {
		err = a.take(data)
	}
	if err != nil {
		a.Log.Warn("the certificate is not renewed", "why", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
}

// take checks a certificate against the key and the identity of before, and keeps both in the file.
func (a *Agent) take(cert []byte) error {
	was, err := a.current()
	if err != nil {
		return err
	}
	a.keys.mu.Lock()
	defer a.keys.mu.Unlock()
	key := a.keys.pending
	if a.keys.pending = nil; key == nil {
		return errors.New("no certificate was asked for")
	}
	text, err := keyText(key)
	if err != nil {
		return err
	}
	is, err := parseIdentity([3][]byte{cert, text, was.authority}, a.Identity)
	if err != nil {
		return err
	}
	bundle := append(append(certText(is.cert.Leaf.Raw), text...), was.authority...) // whatever else was sent stays out of the file
	if _, err := is.cert.Leaf.Verify(x509.VerifyOptions{Roots: was.pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		return err
	}
	if is.Cluster != was.Cluster || !is.cert.Leaf.NotAfter.After(was.cert.Leaf.NotAfter) {
		return fmt.Errorf("a certificate for %.80q until %v takes the place of none for %s until %v", is.Cluster, is.cert.Leaf.NotAfter, was.Cluster, was.cert.Leaf.NotAfter)
	}
	a.keys.newer = is
	if info, err := os.Stat(a.Identity); err == nil && !info.IsDir() {
		if err := wholefile.WriteBytes(a.Identity, bundle); err == nil {
			a.Log.Info("the certificate is renewed", "until", is.cert.Leaf.NotAfter)
			return nil
		}
	}
	a.Log.Warn("the certificate is renewed until the agent ends: its file cannot be written", "file", a.Identity, "until", is.cert.Leaf.NotAfter)
	return nil
}
