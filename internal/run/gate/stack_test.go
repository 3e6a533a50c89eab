package gate_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/muster-fleet/muster/internal/run/gate"
)

// BenchmarkRoomy is what a call deep in other code costs in a goroutine of its own, with the room and without it.
func BenchmarkRoomy(b *testing.B) {
	deep := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { descend(60) })
	for name, h := range map[string]http.Handler{"room": gate.Roomy(deep), "none": deep} {
		b.Run(name, func(b *testing.B) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			done := make(chan struct{})
			for b.Loop() {
				go func() { h.ServeHTTP(nil, r); done <- struct{}{} }()
				<-done
			}
		})
	}
}

// A handler with room gets the call as it came.
func TestRoomyHandsOn(t *testing.T) {
	answer := httptest.NewRecorder()
	gate.Roomy(http.NotFoundHandler()).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", nil))
	if answer.Code != http.StatusNotFound {
		t.Errorf("the answer has the code %d", answer.Code)
	}
}

// descend calls itself, as interceptors call each other.
//
//go:noinline
func descend(calls int) byte {
	var frame [128]byte
	if calls > 0 {
		frame[calls] = descend(calls - 1)
	}
	return frame[calls] + 1
}
