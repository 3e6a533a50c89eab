package link

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"testing"
	"time"
)

// FuzzRenew sends anything as the request of an agent for another certificate: it is refused, or what
// is signed is for that agent's own cluster, for clients alone, and no authority.
func FuzzRenew(f *testing.F) {
	authority, err := OpenAuthority(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	is, err := authority.Enrol("tiger", time.Hour, false)
	if err != nil {
		f.Fatal(err)
	}
	block, _ := pem.Decode(is.Cert)
	was, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		f.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range []string{"tiger", "puma", "muster"} {
		der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: name}, DNSNames: []string{"muster"}}, key)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
	}
	f.Add([]byte("-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n"))
	f.Fuzz(func(t *testing.T, request []byte) {
		signed, err := authority.Renew("tiger", was, request)
		if err != nil {
			return
		}
		block, _ := pem.Decode(signed)
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if cert.Subject.CommonName != "tiger" || len(cert.DNSNames) > 0 || cert.IsCA || len(cert.ExtKeyUsage) != 1 || cert.ExtKeyUsage[0] != x509.ExtKeyUsageClientAuth {
			t.Fatalf("signed for %s, %q, an authority: %v, for %v", cert.Subject, cert.DNSNames, cert.IsCA, cert.ExtKeyUsage)
		}
	})
}
