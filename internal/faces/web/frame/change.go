package web

import (
	"net/http"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// maxForm is how large a form may be, in bytes.
const maxForm = 1 << 20

// changeFunc does what a form asks for, and says where the reader goes then.
type changeFunc func(v *visit) (to string, err error)

// change makes a handler of a changeFunc: it only ever hears forms of this
// browser that were made by this server.
func (s *Server) change(fn changeFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		v, err := s.visit(w, r)
		if err == nil {
			err = r.ParseForm()
		}
		if err != nil {
			v.fail(&wrongInput{"form", "could not be read"})
			return
		}
		if !v.own() {
			v.fail(&wrongInput{"form", "was not made for this browser, or the server has started anew since; go back, load the page again, and send it once more"})
			return
		}
		to, err := fn(v)
		s.heads.forget()
		s.fragments.forget()
		if err != nil {
			v.fail(err)
			return
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	})
}

// write is how a form's change is asked for. Its key was made with the form: sent
// twice, it is done once.
func (v *visit) write() *musterv1.Write {
	return &musterv1.Write{Reason: v.r.PostFormValue("reason"), IdempotencyKey: v.r.PostFormValue("key")}
}
