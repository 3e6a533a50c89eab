package link

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Trust is how a server proves who it is and knows its agents.
type Trust struct {
	config *tls.Config
	admits func(cluster string, cert *x509.Certificate) bool
	// renew signs another certificate for an agent; nil: who signed its certificate does that.
	renew func(cluster string, was *x509.Certificate, request []byte) ([]byte, error)
}

// Trust is what the server needs of its own authority.
func (a *Authority) Trust() (*Trust, error) {
	own := &renewed{issue: a.serverCert}
	if _, err := own.get(nil); err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return &Trust{config: serverConfig(pool, own.get), admits: a.admits, renew: a.Renew}, nil
}

// ReadTrust takes the server's certificate and the authority of its agents from a
// folder with ca.crt, tls.crt and tls.key, as cert-manager writes it. A client with a
// certificate of that authority is let in for the cluster that it names, if that is one of
// the clusters: the authority signs for others, too. The files are read again for every
// connection.
func ReadTrust(dir string, clusters []string) (*Trust, error) {
	if _, err := readIdentity(dir); err != nil {
		return nil, err
	}
	t := &Trust{admits: func(cluster string, _ *x509.Certificate) bool { return slices.Contains(clusters, cluster) }}
	t.config = serverConfig(nil, nil)
	t.config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		is, err := readIdentity(dir)
		if err != nil {
			return nil, err
		}
		return serverConfig(is.pool, func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &is.cert, nil }), nil
	}
	return t, nil
}

func serverConfig(agents *x509.CertPool, own func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{Protocol}, SessionTicketsDisabled: true,
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: agents, GetCertificate: own,
	}
}

// renewed is a certificate that is issued anew before it ends.
type renewed struct {
	issue func() (*tls.Certificate, error)
	mu    sync.Mutex
	is    *tls.Certificate
}

func (r *renewed) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.is == nil || time.Until(r.is.Leaf.NotAfter) < serverHolds/2 {
		is, err := r.issue()
		if err != nil {
			return nil, err
		}
		r.is = is
	}
	return r.is, nil
}

// identity is what one side shows, and whom it believes.
type identity struct {
	cert    tls.Certificate
	pool    *x509.CertPool
	Cluster string // whom the certificate is for

	authority []byte // PEM
}

// readIdentity reads a folder with ca.crt, tls.crt and tls.key, or a file that has
// all three one after another.
func readIdentity(path string) (*identity, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	parts, err := identityParts(path, info.IsDir())
	if err != nil {
		return nil, err
	}
	is, err := parseIdentity(parts, path)
	if err == nil && !info.IsDir() { // what comes last is the authority's
		is.cert.Certificate = is.cert.Certificate[:1]
		is.authority = lastCert(parts[2])
	}
	return is, err
}

// identityParts reads certificate, key and authority: from three files of a folder, or from one file that has all
// of them. That is read once, for a renewal may replace it at any moment.
func identityParts(path string, folder bool) (parts [3][]byte, err error) {
	if !folder {
		all, err := os.ReadFile(path)
		return [3][]byte{all, all, all}, err
	}
	for i, name := range []string{"tls.crt", "tls.key", "ca.crt"} {
		if parts[i], err = os.ReadFile(filepath.Join(path, name)); err != nil {
			return parts, err
		}
	}
	return parts, nil
}

// parseIdentity reads a certificate, its key and the authority's certificate; path is where
// they stand.
func parseIdentity(parts [3][]byte, path string) (*identity, error) {
	pair, err := tls.X509KeyPair(parts[0], parts[1])
	if err != nil {
		return nil, fmt.Errorf("%s: %w; it needs a certificate, its key and the authority's certificate", path, err)
	}
	is := &identity{cert: pair, pool: x509.NewCertPool(), Cluster: pair.Leaf.Subject.CommonName, authority: parts[2]}
	if !is.pool.AppendCertsFromPEM(parts[2]) {
		return nil, fmt.Errorf("%s: no certificate of an authority is in it", path)
	}
	return is, nil
}

// lastCert is the last certificate of a file that has several, as PEM.
func lastCert(data []byte) (last []byte) {
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			last = certText(block.Bytes)
		}
	}
	return last
}

// ClusterOf says for which cluster an identity speaks.
func ClusterOf(path string) (string, error) {
	is, err := readIdentity(path)
	if err != nil {
		return "", err
	}
	return is.Cluster, nil
}

func (i *identity) clientConfig() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{Protocol}, ServerName: ServerName, RootCAs: i.pool, Certificates: []tls.Certificate{i.cert},
	}
}

// speaksFor says for which cluster the other side of a connection speaks.
func (t *Trust) speaksFor(state tls.ConnectionState) (string, error) {
	if state.NegotiatedProtocol != Protocol {
		return "", fmt.Errorf("it speaks %q, and not %s", state.NegotiatedProtocol, Protocol)
	}
	if len(state.VerifiedChains) == 0 {
		return "", errors.New("it shows no certificate")
	}
	leaf := state.VerifiedChains[0][0]
	cluster := leaf.Subject.CommonName
	if !clusterName.MatchString(cluster) {
		return "", fmt.Errorf("its certificate is for %.80q, which is no name of a cluster", cluster)
	}
	if time.Now().After(leaf.NotAfter) {
		return "", fmt.Errorf("its certificate for cluster %s ended on %s", cluster, leaf.NotAfter.Format(time.DateOnly))
	}
	if !t.admits(cluster, leaf) {
		return "", fmt.Errorf("its certificate for cluster %s is not enrolled, or not any more", cluster)
	}
	return cluster, nil
}
