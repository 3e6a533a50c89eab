package webhook

import (
	"crypto/tls"
	"fmt"
	"sync"
	"time"
)

// certificate is a certificate in files that may be renewed.
type certificate struct {
	cert, key string

	mu   sync.Mutex
	is   *tls.Certificate
	read time.Time
}

// get reads the files again when that was some time ago. What cannot be read then
// leaves the certificate that is known.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.is != nil && time.Since(c.read) < renewed {
		return c.is, nil
	}
	is, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil && c.is == nil {
		return nil, fmt.Errorf("certificate %s with key %s: %w", c.cert, c.key, err)
	}
	if err == nil {
		c.is = &is
	}
	c.read = time.Now()
	return c.is, nil
}
