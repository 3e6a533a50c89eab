package link

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// shortly enrols a cluster with a certificate that is to be renewed at once, as a file.
func (h *house) shortly(cluster string) string {
	h.t.Helper()
	is, err := h.authority.Enrol(cluster, 20*time.Minute, true) // it began an hour ago, as all do: three quarters are over
	if err != nil {
		h.t.Fatal(err)
	}
	file := filepath.Join(h.t.TempDir(), cluster+".pem")
	if err := os.WriteFile(file, is.Bundle(), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return file
}

func until(t *testing.T, file string) time.Time {
	t.Helper()
	is, err := readIdentity(file)
	if err != nil {
		t.Fatal(err)
	}
	return is.cert.Leaf.NotAfter
}

// An agent's certificate is renewed before it ends, with a new key that no other side has seen,
// and the agent comes again with it. The server's folder forgets certificates that have ended.
func TestACertificateIsRenewedBeforeItEnds(t *testing.T) {
	h := newHouse(t)
	file := h.shortly("tiger")
	was, before := until(t, file), readFile(t, file)
	h.agent(h.address, file, "tiger", says("here"))
	h.until("its file has another certificate", func() bool { return until(t, file).After(was) })
	h.until("it comes again, and answers", func() bool {
		got, err := h.ask("tiger")
		return err == nil && got == "here"
	})
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its file: %v %v", info, err)
	}
	if key := func(text string) string { _, k, _ := strings.Cut(text, "PRIVATE KEY"); return k }; key(before) == key(readFile(t, file)) {
		t.Error("the key is that of before")
	}
	if err := h.authority.Revoke("tiger"); err != nil {
		t.Fatal(err)
	}
	h.until("who is revoked is sent away although it was renewed", func() bool { return h.hub.Connected("tiger") == 0 })
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A folder as Kubernetes mounts it cannot be written: the agent goes on with what it was given.
func TestAnIdentityThatCannotBeWrittenIsRenewedInMemory(t *testing.T) {
	h := newHouse(t)
	is, err := h.authority.Enrol("tiger", 20*time.Minute, true)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"tls.crt": is.Cert, "tls.key": is.Key, "ca.crt": is.Authority} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, heard := h.agent(h.address, dir, "tiger", says("here"))
	h.until("it says so", func() bool { return strings.Contains(heard.String(), "renewed until the agent ends") })
	h.until("it comes again", func() bool { got, err := h.ask("tiger"); return err == nil && got == "here" })
}

// asked is a request for a certificate with a key of its own, as bytes and as text.
func asked(t *testing.T) (der, text []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err = x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	if err != nil {
		t.Fatal(err)
	}
	return der, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
}

// Only an enrolled certificate is renewed, for its own cluster and with a key of its bearer.
func TestOnlyAnEnrolledCertificateIsRenewed(t *testing.T) {
	h := newHouse(t)
	leaf := load(t, h.enrol("tiger")).Leaf
	der, request := asked(t)
	if _, err := h.authority.Renew("lion", leaf, request); err == nil {
		t.Error("a certificate of tiger is renewed for lion")
	}
	if _, err := h.authority.Renew("tiger", leaf, []byte("none")); err == nil {
		t.Error("what is no request is signed")
	}
	der[len(der)-1] ^= 1
	if _, err := h.authority.Renew("tiger", leaf, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})); err == nil {
		t.Error("a request is signed whose sender does not have its key")
	}
	text, err := h.authority.Renew("tiger", leaf, request)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	is, err := x509.ParseCertificate(block.Bytes)
	if err != nil || is.Subject.CommonName != "tiger" || !h.authority.admits("tiger", is) || is.IsCA {
		t.Errorf("%v, %v", is.Subject, err)
	}
	if err := h.authority.Revoke("tiger"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.authority.Renew("tiger", is, request); err == nil {
		t.Error("a certificate that was revoked is renewed")
	}
}

// Where several servers share a log the one that leads renews what an agent shows to all, and the
// agent is given nothing that the others do not know yet.
func TestTheLeaderAloneRenewsWhatIsShownToSeveral(t *testing.T) {
	first := newHouse(t)
	second := first.second()
	var terms [2]atomic.Int64
	first.hub.Term, second.hub.Term = terms[0].Load, terms[1].Load
	var keeps, fails atomic.Int64
	file := first.shortly("tiger")
	was := until(t, file)
	first.hub.Keep = func(context.Context) error { t.Error("the server that follows has renewed"); return nil }
	second.hub.Keep = func(context.Context) error {
		if until(t, file).After(was) {
			t.Error("the agent has what the other servers do not know yet")
		}
		if keeps.Add(1) == 1 {
			fails.Add(1)
			return errors.New("the database is away")
		}
		return nil
	}
	stop, _ := first.agent(first.address+","+second.address, file, "tiger", says("here"))
	second.until("a server leads, and the agent has a line to both", func() bool {
		return first.hub.Connected("tiger") == 1 && second.hub.Connected("tiger") == 1
	})
	terms[1].Store(5)
	second.until("it was tried once", func() bool { return fails.Load() == 1 })
	if until(t, file).After(was) {
		t.Error("the agent was given what could not be kept")
	}
	stop() // it is tried again with the next line, and else after some minutes
	first.agent(first.address+","+second.address, file, "tiger", says("here"))
	second.until("its file has another certificate", func() bool { return until(t, file).After(was) })
}

// A revocation stands, whatever is renewed at the same moment.
func TestARenewalUndoesNoRevocation(t *testing.T) {
	h := newHouse(t)
	_, request := asked(t)
	for range 100 {
		is, err := readIdentity(h.enrol("tiger"))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = h.authority.Renew("tiger", is.cert.Leaf, request) // which of both is first is a matter of luck
		}()
		if err := h.authority.Revoke("tiger"); err != nil {
			t.Fatal(err)
		}
		<-done
		if _, err := os.Stat(h.authority.file("tiger")); err == nil {
			t.Fatal("after its revocation the cluster is enrolled")
		}
	}
}

// An agent that asks for one certificate after another fills no file.
func TestRenewalsOfOneClusterAreBounded(t *testing.T) {
	h := newHouse(t)
	leaf := load(t, h.enrol("tiger")).Leaf
	_, request := asked(t)
	var last []byte
	for range 2 * mostEnrolled {
		var err error
		if last, err = h.authority.Renew("tiger", leaf, request); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(readFile(t, h.authority.file("tiger")), "BEGIN"); n > mostEnrolled {
		t.Errorf("%d certificates are enrolled", n)
	}
	block, _ := pem.Decode(last)
	newest, err := x509.ParseCertificate(block.Bytes)
	if err != nil || !h.authority.admits("tiger", newest) || !h.authority.admits("tiger", leaf) {
		t.Errorf("the newest, or the one that was shown, is not let in: %v", err)
	}
}

// Of what a server sends at a renewal the certificate alone is kept: no authority that the agent would believe from then
// on, and no key that would keep it from its own.
func TestARenewalBringsACertificateAlone(t *testing.T) {
	h, other := newHouse(t), newHouse(t)
	file := h.shortly("tiger")
	a := &Agent{Identity: file, Log: slog.New(slog.DiscardHandler)}
	w := httptest.NewRecorder()
	a.request(w, nil)
	time.Sleep(1100 * time.Millisecond) // certificates count seconds, and the next one must end later
	cert, err := h.authority.Renew("tiger", load(t, file).Leaf, w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	key, err := keyText(other.authority.key)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.take(append(append(cert, key...), certText(other.authority.cert.Raw)...)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(readFile(t, file), "BEGIN"); n != 3 {
		t.Errorf("the file has %d parts, want its certificate, its key and its authority", n)
	}
	if _, err := readIdentity(file); err != nil {
		t.Error(err)
	}
}
