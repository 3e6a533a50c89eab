package server

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/server/datafolder"
)

// A server that others can reach does not start where tokens would cross the network
// readable, and says what to do.
func TestTokensNeverCrossANetworkReadable(t *testing.T) {
	cases := []struct {
		what string
		o    upOptions
		says string // of the refusal; "": it starts
	}{
		{"loopback", upOptions{Listen: "127.0.0.1:6878", Tokens: "t"}, ""},
		{"no address", upOptions{Tokens: "t"}, ""},
		{"every address", upOptions{Listen: "0.0.0.0:6878", Tokens: "t"}, "--tls-cert self"},
		{"every address, short", upOptions{Listen: ":6878", Tokens: "t"}, "--behind-proxy"},
		{"with a certificate", upOptions{Listen: ":6878", Tokens: "t", TLSCert: "c", TLSKey: "k"}, ""},
		{"with its own", upOptions{Listen: ":6878", Tokens: "t", TLSCert: "self"}, ""},
		{"behind a proxy", upOptions{Listen: ":6878", Tokens: "t", BehindProxy: true}, ""},
		{"a certificate without its key", upOptions{Listen: ":6878", Tokens: "t", TLSCert: "c"}, "belong together"},
		{"a key alone", upOptions{TLSKey: "k"}, "belong together"},
		{"both ways", upOptions{Listen: ":6878", Tokens: "t", TLSCert: "self", BehindProxy: true}, "one of them"},
	}
	for _, c := range cases {
		err := checkWires(c.o)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.what, err, c.says)
		}
	}
}

// Who could change what a provider says on its way could be anybody.
func TestAProviderIsAskedByTLS(t *testing.T) {
	for issuer, taken := range map[string]bool{
		"": true, "https://id.example.org": true, "https://id.example.org/realms/lab": true, "http://localhost:5556": true, "http://127.0.0.1:5556/dex": true,
		"http://id.example.org": false, "id.example.org": false, "http://localhost.example.org": false, "ftp://localhost": false,
	} {
		if err := checkIssuer(issuer); (err == nil) != taken {
			t.Errorf("%q: %v", issuer, err)
		}
	}
}

// The certificate that a server makes is its own for a year, and only its user may read the key.
func TestAServerMakesItsCertificateOnce(t *testing.T) {
	s := &server{upOptions: upOptions{TLSCert: selfMade}, folder: &datafolder.Folder{Path: t.TempDir()}}
	first, err := s.tls()
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.tls()
	if err != nil {
		t.Fatal(err)
	}
	a, _ := first.GetCertificate(&tls.ClientHelloInfo{})
	b, _ := again.GetCertificate(&tls.ClientHelloInfo{})
	if string(a.Certificate[0]) != string(b.Certificate[0]) {
		t.Error("a second start has another certificate")
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.Leaf)
	if _, err := a.Leaf.Verify(x509.VerifyOptions{Roots: pool, DNSName: "localhost"}); err != nil {
		t.Error(err)
	}
	key, err := os.Stat(filepath.Join(s.folder.Path, selfDir, selfKey))
	if err != nil || key.Mode().Perm() != 0o600 {
		t.Errorf("its key: %v, %v", key.Mode(), err)
	}
}
