package client

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"connectrpc.com/connect"
)

// PlainHTTPEnv names the variable by which commands let a token go by plain HTTP.
const PlainHTTPEnv = "MUSTER_PLAIN_HTTP"

// TokenInClear says that a token would have gone over a network in clear. Nothing was sent.
type TokenInClear struct{ Address string }

// Error names the address, and what is right.
func (e *TokenInClear) Error() string {
	return fmt.Sprintf("%.200s speaks plain HTTP and is not this machine: your token would go there in clear, so nothing was sent; write %.200s, or, where a proxy or the network itself protects the way, set %s=1",
		e.Address, sealed(e.Address), PlainHTTPEnv)
}

// sealed is an address with https.
func sealed(address string) string {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		rest = address
	}
	return "https://" + rest
}

// SpeaksTLS says that a server was asked by plain HTTP that answers by TLS alone.
type SpeaksTLS struct{ Address string }

// Error names the address that is right.
func (e *SpeaksTLS) Error() string {
	return fmt.Sprintf("the server at %.200s speaks TLS: write %.200s", e.Address, sealed(e.Address))
}

// SpeaksPlain says that a server was asked by TLS that answers by plain HTTP alone.
type SpeaksPlain struct{ Address string }

// Error names the address that is right, and what a token needs besides.
func (e *SpeaksPlain) Error() string {
	_, rest, _ := strings.Cut(sealed(e.Address), "://")
	return fmt.Sprintf("the server at %.200s does not speak TLS; where a proxy or the network itself protects the way, write http://%.200s, with a token also %s=1",
		e.Address, rest, PlainHTTPEnv)
}

// Untrusted says that a server answers whose certificate is not believed.
type Untrusted struct {
	Address string
	cause   error
}

// Error says what is wrong with the certificate, and how it is believed.
func (u *Untrusted) Error() string {
	return fmt.Sprintf("a server answers at %s, but its certificate is not trusted (%v); if it is your server, name the file of its certificate, or of the authority that signed it: SSL_CERT_FILE=FILE", u.Address, u.cause)
}

// Unwrap is what is wrong with it.
func (u *Untrusted) Unwrap() error { return u.cause }

// misread is what is wrong with the way to a server that answers; nil: no such thing.
func misread(address string, err error) error {
	var is *SpeaksTLS
	var certificate *tls.CertificateVerificationError
	switch {
	case connect.IsWireError(err):
		return nil
	case errors.As(err, &is):
		return is
	case errors.As(err, &certificate):
		return &Untrusted{address, certificate.Err}
	case errors.Is(err, http.ErrSchemeMismatch):
		return &SpeaksPlain{address}
	}
	return nil
}

// byPlain is a way by plain HTTP. It knows what a server says that is asked so and wants TLS.
type byPlain struct{ http.RoundTripper }

// wantsTLS begins what such a server says.
const wantsTLS = "Client sent an HTTP request to an HTTPS server"

// RoundTrip asks, and reads the beginning of a bad answer.
func (p byPlain) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := p.RoundTripper.RoundTrip(r)
	if err != nil || res.StatusCode != http.StatusBadRequest || r.URL.Scheme == "https" {
		return res, err
	}
	start := make([]byte, len(wantsTLS))
	n, err := io.ReadFull(res.Body, start)
	if string(start[:n]) == wantsTLS {
		_ = res.Body.Close()
		return nil, &SpeaksTLS{r.URL.Scheme + "://" + r.URL.Host}
	}
	rest := io.MultiReader(bytes.NewReader(start[:n]), res.Body)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		rest = io.MultiReader(bytes.NewReader(start[:n]), failing{err})
	}
	res.Body = joined{rest, res.Body}
	return res, nil
}

// joined is a body of which the beginning was read.
type joined struct {
	io.Reader
	io.Closer
}

// failing reads nothing but an error.
type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// closedWay is a stream by which nothing is sent.
type closedWay struct {
	connect.StreamingClientConn
	why error
}

// Send is part of connect.StreamingClientConn, as those below are.
func (c closedWay) Send(any) error { return c.why }

// Receive says why nothing comes.
func (c closedWay) Receive(any) error { return c.why }

// CloseRequest sends nothing.
func (c closedWay) CloseRequest() error { return nil }

// CloseResponse has nothing to close.
func (c closedWay) CloseResponse() error { return nil }
