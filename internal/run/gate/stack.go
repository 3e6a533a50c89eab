package gate

import "net/http"

// stackRoom is as much stack as makes Go give a goroutine 16 KiB. A submission over HTTP/2 takes no fewer instructions with 32.
const stackRoom = 12 << 10

// Roomy gives a handler a stack that is large enough from the beginning. HTTP/2 answers each call in a goroutine of its own,
// whose stack would be copied again and again as it grows: a fifth of what a short command costs.
func Roomy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		grow(r.URL == nil)
		next.ServeHTTP(w, r)
	})
}

// grow makes its goroutine's stack large enough for its own frame. What it would do with the room, it never does.
//
//go:noinline
func grow(uses bool) {
	if uses {
		var room [stackRoom]byte
		use(room[:])
	}
}

//go:noinline
func use([]byte) {}
