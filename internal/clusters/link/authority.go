package link

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
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// ServerName is the name that a server's certificate is for, wherever it listens:
// who trusts the authority needs no other.
const ServerName = "muster"

// Protocol is what both sides say they speak (ALPN).
const Protocol = "muster-agent/1"

// Authority signs the certificates of a server and of its agents, and knows which
// agents are enrolled. It lives in a folder of the server's data.
type Authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// The files of an authority's folder; an enrolled cluster's certificates are in
// NAME.crt.
const (
	authorityFile = "authority.pem"
	// Enrolled is how the names of files end that say who speaks for a cluster.
	Enrolled = ".crt"
)

// How long certificates hold. The server's own is renewed by itself.
const (
	authorityHolds = 20 * 365 * 24 * time.Hour
	serverHolds    = 90 * 24 * time.Hour
	skew           = time.Hour // clocks differ
)

// OpenAuthority reads the authority in a folder, and makes a new one where there is none.
func OpenAuthority(dir string) (*Authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, authorityFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := newAuthority(path); err != nil {
			return nil, err
		}
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(data, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; bring it back from a copy, or remove it and enrol every agent anew", path, err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s: its key is a %T, and not one that was made here", path, pair.PrivateKey)
	}
	return &Authority{dir: dir, cert: pair.Leaf, key: key}, nil
}

func newAuthority(path string) error {
	template, err := certificate("Muster", authorityHolds)
	if err != nil {
		return err
	}
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	text, err := keyText(key)
	if err != nil {
		return err
	}
	return firstWrite(path, append(certText(der), text...))
}

// firstWrite writes a file unless another process was faster.
func firstWrite(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".authority-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return wholefile.SyncDir(filepath.Dir(path))
}

// Identity is what an agent proves with who it is: PEM.
type Identity struct{ Authority, Cert, Key []byte }

// Bundle is an identity in one file.
func (i Identity) Bundle() []byte {
	return append(append(append([]byte(nil), i.Cert...), i.Key...), i.Authority...)
}

var clusterName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$`)

// Enrol lets a cluster's agents in, with a new certificate. What was enrolled for
// the cluster before stays, unless only this one is to be let in.
func (a *Authority) Enrol(cluster string, holds time.Duration, only bool) (Identity, error) {
	if !clusterName.MatchString(cluster) {
		return Identity{}, fmt.Errorf("%.40q is no name of a cluster; write lower-case letters, digits, dots and dashes, 63 at most", cluster)
	}
	template, err := certificate(cluster, holds)
	if err != nil {
		return Identity{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	der, key, err := a.sign(template)
	if err != nil {
		return Identity{}, err
	}
	text, err := keyText(key)
	if err != nil {
		return Identity{}, err
	}
	if err := a.alone(func() error { return a.add(cluster, der, only) }); err != nil {
		return Identity{}, err
	}
	return Identity{Authority: certText(a.cert.Raw), Cert: certText(der), Key: text}, nil
}

// add adds a certificate to those of a cluster, or takes their place.
func (a *Authority) add(cluster string, der []byte, only bool) (err error) {
	known := []byte(nil)
	if !only {
		if known, err = os.ReadFile(a.file(cluster)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return wholefile.WriteBytes(a.file(cluster), known, certText(der))
}

// Revoke lets none of a cluster's agents in any more.
func (a *Authority) Revoke(cluster string) error {
	if !clusterName.MatchString(cluster) {
		return fmt.Errorf("%.40q is no name of a cluster", cluster)
	}
	if err := a.alone(func() error { return os.Remove(a.file(cluster)) }); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("no agent of cluster %s is enrolled", cluster)
		}
		return err
	}
	return wholefile.SyncDir(a.dir)
}

// admits says whether a certificate is enrolled for its cluster.
func (a *Authority) admits(cluster string, cert *x509.Certificate) bool {
	data, err := os.ReadFile(a.file(cluster))
	if err != nil {
		return false
	}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if string(block.Bytes) == string(cert.Raw) {
			return true
		}
	}
	return false
}

func (a *Authority) file(cluster string) string { return filepath.Join(a.dir, cluster+Enrolled) }

// serverCert is a certificate for the server.
func (a *Authority) serverCert() (*tls.Certificate, error) {
	template, err := certificate(ServerName, serverHolds)
	if err != nil {
		return nil, err
	}
	template.DNSNames, template.ExtKeyUsage = []string{ServerName}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, key, err := a.sign(template)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, nil
}

func (a *Authority) sign(template *x509.Certificate) (der []byte, key *ecdsa.PrivateKey, err error) {
	if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, nil, err
	}
	der, err = x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	return der, key, err
}

func certificate(name string, holds time.Duration) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-skew), NotAfter: now.Add(holds),
		KeyUsage: x509.KeyUsageDigitalSignature,
	}, nil
}

func certText(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func keyText(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}
