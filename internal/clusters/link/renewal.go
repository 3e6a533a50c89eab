package link

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// renewalPath is where an agent asks for another certificate (GET: a request with a new key of
// its own, PEM), and is given it (POST). The key never leaves the agent.
const renewalPath = "/.muster/renewal"

// A certificate is renewed once less than a third of its life is left; where that fails, it is
// tried again after a while.
const (
	renewAgain = 10 * time.Minute
	mostPEM    = 64 << 10
)

// due says whether a certificate is to be renewed.
func due(cert *x509.Certificate, now time.Time) bool {
	return now.After(cert.NotAfter.Add(-cert.NotAfter.Sub(cert.NotBefore) / 3))
}

// Renew signs a request of an agent whose certificate is enrolled: for the same cluster, and
// as long as that one held. The one of before is good until its own end, for agents that share it.
func (a *Authority) Renew(cluster string, was *x509.Certificate, request []byte) ([]byte, error) {
	if !a.admits(cluster, was) {
		return nil, fmt.Errorf("its certificate for cluster %s is not enrolled, or not any more", cluster)
	}
	block, _ := pem.Decode(request)
	if block == nil {
		return nil, errors.New("what it sent is no request for a certificate")
	}
	csr, err := x509.ParseCertificateRequest(block.Bytes)
	if err == nil {
		err = csr.CheckSignature()
	}
	if err != nil {
		return nil, fmt.Errorf("its request for a certificate: %w", err)
	}
	key, ok := csr.PublicKey.(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, fmt.Errorf("its new key is a %T; an agent makes one of P-256", csr.PublicKey)
	}
	template, err := certificate(cluster, was.NotAfter.Sub(was.NotBefore)-skew)
	if err != nil {
		return nil, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key, a.key)
	if err != nil {
		return nil, err
	}
	return certText(der), a.alone(func() error {
		if !a.admits(cluster, was) {
			return fmt.Errorf("the certificate of cluster %s was revoked meanwhile", cluster)
		}
		known, err := a.good(cluster, was, time.Now())
		if err != nil {
			return err
		}
		return wholefile.WriteBytes(a.file(cluster), known, certText(der))
	})
}

// mostEnrolled is how many certificates of a cluster a renewal leaves: an agent that asks again and again fills no disk.
const mostEnrolled = 64

// good are a cluster's enrolled certificates that have not ended: the newest ones, and the one that is shown.
func (a *Authority) good(cluster string, shown *x509.Certificate, now time.Time) ([]byte, error) {
	data, err := os.ReadFile(a.file(cluster))
	if err != nil {
		return nil, err
	}
	var list [][]byte
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil && now.Before(cert.NotAfter) && !cert.Equal(shown) {
			list = append(list, certText(block.Bytes))
		}
	}
	list = list[max(0, len(list)+2-mostEnrolled):] // with the one that is shown, and the new one
	return bytes.Join(append([][]byte{certText(shown.Raw)}, list...), nil), nil
}

// renew gives the agent of a line another certificate.
func (h *Hub) renew(ctx context.Context, is *line) error {
	ctx, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	request, err := is.talk(ctx, http.MethodGet, nil)
	if err != nil {
		return err
	}
	leaf := is.conn.Conn.(*tls.Conn).ConnectionState().VerifiedChains[0][0]
	cert, err := h.Trust.renew(is.cluster, leaf, request)
	if err == nil && h.Keep != nil {
		err = h.Keep(ctx)
	}
	if err != nil {
		return err
	}
	_, err = is.talk(ctx, http.MethodPost, cert)
	return err
}

// talk asks an agent about its certificate.
func (l *line) talk(ctx context.Context, method string, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://agent"+renewalPath, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	res, err := l.asks.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, mostPEM))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the agent answers %d: %.200q", res.StatusCode, data)
	}
	return data, err
}
