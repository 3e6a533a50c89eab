package api_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/gate"
)

// ownCertificate is a certificate for 127.0.0.1, and who trusts it.
func ownCertificate(t *testing.T) (server, trust *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	leaf, err := x509.ParseCertificate(der)
	must(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}}}, &tls.Config{RootCAs: pool}
}

// Over TLS the API answers as without, and browsers are told to stay.
func TestTheAPIAnswersOverTLS(t *testing.T) {
	own, trust := ownCertificate(t)
	h := open(t, func(o *api.Options) { o.TLS = own })
	address := "https" + strings.TrimPrefix(h.url, "http")
	for _, two := range []bool{false, true} {
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: two}}
		s, err := client.New(client.Options{Address: address, HTTPClient: c}).System.Status(t.Context(), &musterv1.StatusRequest{})
		must(t, err)
		equal(t, "operator", s.GetOperator(), true)
		res, err := c.Get(address + "/healthz")
		must(t, err)
		must(t, res.Body.Close())
		equal(t, "HTTP/2", res.ProtoMajor == 2, two)
		equal(t, "HSTS", strings.HasPrefix(res.Header.Get("Strict-Transport-Security"), "max-age="), true)
		c.CloseIdleConnections()
	}
	res, err := http.Get(h.url + "/healthz")
	must(t, err)
	must(t, res.Body.Close())
	equal(t, "plain HTTP on its port", res.StatusCode, http.StatusBadRequest)
}

// Five hundred bodies that do not come, and as many connections that say nothing, keep
// no other caller out.
func TestSlowBodiesKeepNoCallerOut(t *testing.T) {
	h := open(t)
	address := strings.TrimPrefix(h.url, "http://")
	for i := range 700 {
		c, err := net.Dial("tcp", address)
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		if i < 400 {
			_, err = fmt.Fprint(c, "POST /muster.v1.SystemService/Status HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
			must(t, err)
		}
	}
	for range 20 {
		c, err := net.Dial("tcp", address)
		must(t, err)
		_, err = fmt.Fprint(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		must(t, err)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		must(t, err)
		must(t, res.Body.Close())
		must(t, c.Close())
	}
}

// A body that does not come is waited for as long as it may take, and then the call is answered:
// of all the bounds on slow bodies only the time ends one that stays alone.
func TestASlowBodyAloneIsCut(t *testing.T) {
	h := open(t, func(o *api.Options) { o.Times = gate.Times{Body: 50 * time.Millisecond, Write: time.Minute} })
	c, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = fmt.Fprint(c, "POST /muster.v1.SystemService/Status HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	must(t, err)
	must(t, c.SetReadDeadline(time.Now().Add(20*time.Second)))
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("the server goes on waiting for the body: %v", err)
	}
	must(t, res.Body.Close())
	equal(t, "it is answered that all is well", res.StatusCode == http.StatusOK, false)
}
