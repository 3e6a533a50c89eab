package kubetest

import (
	"io"
	"net"
	"testing"
	"time"
)

// TestAWayCanBeCut speaks with a server that says everything back, by a proxy.
func TestAWayCanBeCut(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = echo.Close() }()
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
	way, err := (&Cluster{ports: map[string]int{"api": echo.Addr().(*net.TCPAddr).Port}}).Proxy()
	if err != nil {
		t.Fatal(err)
	}
	defer way.Close()

	first := dial(t, way)
	first.says(t, "here")
	way.Silence()
	first.send(t, "held")
	if err := first.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, _ := first.Read(make([]byte, 8)); n > 0 {
		t.Error("a silent way lets something through")
	}
	_ = first.SetReadDeadline(time.Time{})
	way.Open()
	first.hears(t, "held") // what was held is not lost
	way.Cut()
	first.isOver(t)
	second := dial(t, way)
	second.says(t, "again")
	way.Refuse()
	second.isOver(t)
	dial(t, way).isOver(t)
	way.Open()
	dial(t, way).says(t, "at last")
}

type talk struct{ net.Conn }

func dial(t *testing.T, way *Proxy) talk {
	t.Helper()
	conn, err := net.Dial("tcp", way.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return talk{conn}
}

func (c talk) says(t *testing.T, text string) {
	t.Helper()
	c.send(t, text)
	c.hears(t, text)
}

func (c talk) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

func (c talk) hears(t *testing.T, text string) {
	t.Helper()
	got := make([]byte, len(text))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != text {
		t.Fatalf("heard %q, %v; want %q", got, err, text)
	}
}

func (c talk) isOver(t *testing.T) {
	t.Helper()
	if n, err := c.Read(make([]byte, 8)); err == nil {
		t.Fatalf("the connection stands, and says %d bytes", n)
	}
}
