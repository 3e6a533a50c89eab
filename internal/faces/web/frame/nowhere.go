package frame

import (
	"net/http"

	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// Nowhere answers addresses that have no page.
func Nowhere(v *Visit) (Page, error) {
	return Page{}, &missing{what: "There is no page at " + parts.Short(v.Request.URL.Path, 80) + ".", next: "The navigation above leads to the pages there are.", nowhere: true}
}

// Nowhere answers them without a turn, and asks the API nothing: that there is no such page depends neither on the fleet nor
// on what its reader asked before.
func (s *Site) Nowhere() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, _ := s.visit(w, r) // a moment that is none is not what is wrong
		v.AsOf = nil
		_, err := Nowhere(v)
		v.fail(err)
	})
}

// knownFrame is a frame of what was asked before for this reader; bare, where nothing was.
func (v *Visit) knownFrame(f frame) frame {
	if h, known := v.site.heads.known(v); known {
		f.know(h)
		f.stale = h.stale
	}
	if at := v.site.began.Load(); at != nil {
		f.from = *at
	}
	return f
}

// known is the head that was asked last for the reader of a visit, however old it is.
func (h *heads) known(v *Visit) (head, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := h.kept[v.asks()]
	if k == nil {
		return head{}, false
	}
	return *k, true
}
