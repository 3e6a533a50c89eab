package gate

import (
	"crypto/tls"
	"fmt"
	"sync"
	"time"
)

// Certificate is a certificate in files that may be renewed while it is used.
type Certificate struct {
	Cert, Key string // files, PEM

	mu   sync.Mutex
	is   *tls.Certificate
	read time.Time
}

// renewed is how often the files are read again, at most.
const renewed = 10 * time.Second

// Get reads the files again when that was some time ago. Files that cannot be read then
// leave the certificate that is known. It is a tls.Config's GetCertificate.
func (c *Certificate) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.is != nil && time.Since(c.read) < renewed {
		return c.is, nil
	}
	is, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil && c.is == nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", c.Cert, c.Key, err)
	}
	if err == nil {
		c.is = &is
	}
	c.read = time.Now()
	return c.is, nil
}
