package siege

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// What the foe holds open at a time.
const (
	silentConnections = 300
	slowBodies        = 100 // all at once with the silent ones of an address; those that are cut come again
	watches           = 800
	livePages         = 200
)

// connect opens connections that say nothing, requests that do not end, and streams.
func (e *foe) connect(ctx context.Context) {
	for range silentConnections {
		e.all.Go(func() { e.dial(ctx, "") })
	}
	for range slowBodies {
		e.all.Go(func() {
			e.dial(ctx, fmt.Sprintf("POST /muster.v1.WorkloadService/SubmitBatch HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{", e.token))
		})
	}
	var two http.Protocols
	two.SetUnencryptedHTTP2(true)
	by := from(foeAddress)
	by.Timeout = 0
	by.Transport.(*http.Transport).Protocols = &two
	frame := append([]byte{0, 0, 0, 0, 10}, `{"from":1}`...)
	for range watches {
		e.all.Go(func() {
			for ctx.Err() == nil {
				status, _, err := e.send(ctx, by, e.token, call{"/muster.v1.EventService/Watch", "application/connect+json", "", frame})
				e.count(ctx, status, err)
				rest(ctx, time.Second)
			}
		})
	}
	for range livePages {
		e.all.Go(func() {
			for ctx.Err() == nil {
				status, _, err := e.open(ctx, by, e.token, "/live", false)
				e.count(ctx, status, err)
				rest(ctx, time.Second)
			}
		})
	}
}

// dial opens a connection, says something, and then waits until it is cut off; again and again.
func (e *foe) dial(ctx context.Context, says string) {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(foeAddress)}}
	for ctx.Err() == nil {
		c, err := d.DialContext(ctx, "tcp", e.address)
		if err != nil {
			rest(ctx, time.Second)
			continue
		}
		stop := context.AfterFunc(ctx, func() { _ = c.Close() })
		_, _ = c.Write([]byte(says)) // it may be cut off already
		_, _ = c.Read(make([]byte, 1))
		stop()
		_ = c.Close()
		rest(ctx, 100*time.Millisecond)
	}
}
