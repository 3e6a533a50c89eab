package server

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/muster-fleet/muster/internal/server/leadership"
)

// peers are how this server speaks with the others of its fleet: over HTTP/1 and HTTP/2, as
// what gRPC says at the end needs the latter.
type peers [2]*http.Transport

// newPeers finds the others as clients do. own is how this server proves who it is; nil: they
// speak plain HTTP.
func newPeers(own *tls.Config) peers {
	return peers{newPeer(own, false), newPeer(own, true)}
}

// of speaks the protocol of a request.
func (p peers) of(r *http.Request) *http.Transport {
	if r.ProtoMajor == 2 {
		return p[1]
	}
	return p[0]
}

func newPeer(own *tls.Config, two bool) *http.Transport {
	t := &http.Transport{
		MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute, ResponseHeaderTimeout: 30 * time.Second, Protocols: &http.Protocols{},
		DialContext: (&net.Dialer{Timeout: leadership.Lease}).DialContext,
	}
	t.Protocols.SetHTTP1(!two)
	t.Protocols.SetUnencryptedHTTP2(two && own == nil)
	t.Protocols.SetHTTP2(two && own != nil)
	if own != nil {
		t.TLSClientConfig = trustPeers(own)
	}
	return t
}

// trustPeers trusts a server that shows the certificate of this one, and one whose certificate
// this machine trusts for the name under which it is reached. Callers' tokens go there.
func trustPeers(own *tls.Config) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection verifies
		VerifyConnection: func(is tls.ConnectionState) error {
			if len(is.PeerCertificates) == 0 {
				return errors.New("the server that leads shows no certificate")
			}
			leaf := is.PeerCertificates[0]
			if ours, err := own.GetCertificate(nil); err == nil && bytes.Equal(ours.Certificate[0], leaf.Raw) {
				return nil
			}
			between := x509.NewCertPool()
			for _, c := range is.PeerCertificates[1:] {
				between.AddCert(c)
			}
			if _, err := leaf.Verify(x509.VerifyOptions{DNSName: is.ServerName, Intermediates: between}); err != nil {
				return fmt.Errorf("the server that leads shows another certificate than this one, and it is not trusted: %w", err)
			}
			return nil
		},
	}
}
