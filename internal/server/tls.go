package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/run/wholefile"
	"github.com/muster-fleet/muster/internal/server/datafolder"
)

// selfMade stands for a certificate that the server makes by itself, for a first try.
const selfMade = "self"

// The files of a certificate that the server made, in its data folder.
const (
	selfDir  = "tls"
	selfCert = "server.crt"
	selfKey  = "server.key"
)

// How long a self-made certificate holds, and how long before its end it is made anew.
const (
	selfHolds = 365 * 24 * time.Hour
	selfRenew = 30 * 24 * time.Hour
)

// wireFlags are those that say how the API and the pages are reached.
func wireFlags(f *pflag.FlagSet, o *upOptions) {
	f.StringVar(&o.TLSCert, "tls-cert", "", "file of the certificate for the API and the pages, PEM; it is read again when it changes; self: the server makes one")
	f.StringVar(&o.TLSKey, "tls-key", "", "file of its key, PEM")
	f.StringSliceVar(&o.WebhooksTo, "webhooks-to", nil, "hosts that webhooks may go to, .example.org for all under it; without it any")
	f.BoolVar(&o.WebhooksLocal, "webhooks-local", false, "let webhooks go to this machine and its link, too")
	f.BoolVar(&o.BehindProxy, "behind-proxy", false, "speak plain HTTP on an address that others reach: a proxy in front of the server does TLS")
	f.StringSliceVar(&o.TrustedProxies, "trusted-proxies", nil, "with --behind-proxy: addresses of the proxies, as 10.0.0.7 or 10.0.0.0/24; only their X-Forwarded-For is believed. Without it any caller's is")
	f.IntVar(&o.MostWaiting, "most-waiting", api.MostWaiting, "workloads that one caller who does not run the fleet may have waiting; each takes some 5 kB of memory in all states that the server keeps")
}

// proxiesOf reads the addresses of proxies.
func proxiesOf(o upOptions) (list []netip.Prefix, err error) {
	if len(o.TrustedProxies) > 0 && !o.BehindProxy {
		return nil, cli.Usage("--trusted-proxies says which proxies are in front of the server; give --behind-proxy, too")
	}
	for _, text := range o.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if at, alone := netip.ParseAddr(text); err != nil && alone == nil {
			p, err = at.Prefix(at.BitLen())
		}
		if err != nil {
			return nil, cli.Usage("--trusted-proxies: %s is no address; write 10.0.0.7 or 10.0.0.0/24", text)
		}
		list = append(list, p.Masked())
	}
	return list, nil
}

// checkWires refuses wires that would show tokens to the network.
func checkWires(o upOptions) error {
	switch {
	case o.MostWaiting < 0:
		return cli.Usage("--most-waiting %d; give a number of workloads, as %d", o.MostWaiting, api.MostWaiting)
	case (o.TLSCert == "") != (o.TLSKey == "") && o.TLSCert != selfMade:
		return cli.Usage("--tls-cert and --tls-key belong together; give both files, or --tls-cert self")
	case o.TLSCert != "" && o.BehindProxy:
		return cli.Usage("--behind-proxy is for plain HTTP, and --tls-cert for TLS; give one of them")
	case o.TLSCert != "" || o.BehindProxy || len(o.TrustedProxies) > 0:
		_, err := proxiesOf(o)
		return err
	}
	where, err := net.ResolveTCPAddr("tcp", o.Listen)
	if o.Listen == "" || err != nil || where.IP.IsLoopback() || o.Tokens == "" && o.OIDC.Issuer == "" {
		return nil //nolint:nilerr // what else is wrong is said when the port is opened
	}
	return cli.Malformed(fmt.Errorf("listen address %q can be reached from other machines, and tokens would cross the network readable by all: give a certificate (--tls-cert FILE --tls-key FILE), "+
		"let the server make one (--tls-cert self), or say that a proxy in front of it does TLS (--behind-proxy)", o.Listen))
}

// tls is how the server proves who it is; nil: it speaks plain HTTP.
func (s *server) tls() (*tls.Config, error) {
	if s.TLSCert == "" {
		return nil, nil
	}
	kept := &gate.Certificate{Cert: s.TLSCert, Key: s.TLSKey}
	if s.TLSCert == selfMade {
		dir := s.folder.File(selfDir)
		kept.Cert, kept.Key = filepath.Join(dir, selfCert), filepath.Join(dir, selfKey)
		if err := ownCertificate(kept.Cert, kept.Key); err != nil {
			return nil, err
		}
	}
	if _, err := kept.Get(nil); err != nil {
		return nil, cli.Malformed(err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: kept.Get}, nil
}

// ownCertificate makes a certificate for this machine's names and addresses, unless there
// is one that still holds for a while.
func ownCertificate(cert, key string) error {
	if pair, err := tls.LoadX509KeyPair(cert, key); err == nil && time.Until(pair.Leaf.NotAfter) > selfRenew {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(cert), 0o700); err != nil {
		return datafolder.Unwritable(filepath.Dir(cert), err)
	}
	der, secret, err := selfSigned()
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return errors.Join(wholefile.WriteBytes(key, nil, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})), wholefile.WriteBytes(cert, nil, text))
}

// selfSigned is a new certificate and its key, DER.
func selfSigned() (der, secret []byte, err error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, err
	}
	names, addresses := ownNames()
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Muster, " + names[len(names)-1]}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(selfHolds),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, DNSNames: names, IPAddresses: addresses,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if der, err = x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key); err != nil {
		return nil, nil, err
	}
	secret, err = x509.MarshalPKCS8PrivateKey(key)
	return der, secret, err
}

// ownNames are what this machine is called, and where it is reached.
func ownNames() (names []string, addresses []net.IP) {
	names = []string{"localhost"}
	if host, err := os.Hostname(); err == nil && host != names[0] {
		names = append(names, host)
	}
	list, _ := net.InterfaceAddrs()
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok && !n.IP.Equal(net.IPv4zero) {
			addresses = append(addresses, n.IP)
		}
	}
	return names, addresses
}
