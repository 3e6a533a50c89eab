package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/muster-fleet/muster/internal/faces/web"
)

// ownKey marks requests on connections of the server's own user.
type ownKey struct{}

// What the pages say of a reader whom the connection proves is not shown to one whom it does not, however shortly after.
func TestAnotherUserIsNotShownTheOwnersPages(t *testing.T) {
	pages := web.New(web.Options{API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(ownKey{}) == nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":"unauthenticated","message":"another user of this machine"}`)
			return
		}
		w.Header().Set("Content-Type", "application/proto") // and an empty message
	})})
	words := func(own bool) int {
		ctx := t.Context()
		if own {
			ctx = context.WithValue(ctx, ownKey{}, true)
		}
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/words", nil)
		if own {
			r.Header.Set("Muster-Proof", "own")
		}
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, r)
		return w.Code
	}
	if before, own, after := words(false), words(true), words(false); before != http.StatusUnauthorized || own != http.StatusOK || after != http.StatusUnauthorized {
		t.Errorf("another user is answered with %d, the owner with %d, and then another user with %d", before, own, after)
	}
}
