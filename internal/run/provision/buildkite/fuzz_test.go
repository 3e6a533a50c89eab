package buildkite_test

import (
	"net/http"
	"testing"
)

// FuzzHook posts any text under any signature: what is not signed by who knows the secret has
// nothing looked at, and what is signed is answered, whatever it says.
func FuzzHook(f *testing.F) {
	f.Add(signed(hookSecret, finished, hookNow), finished)
	f.Add(signed("other", finished, hookNow), finished)
	f.Add("timestamp=,signature=", "")
	f.Add("a,b", `{"build":{"meta_data":[]}}`)
	f.Add("timestamp=-9223372036854775808,signature=00", `{"build":{"meta_data":{"muster-operation":7}}}`)
	f.Fuzz(func(t *testing.T, header, body string) {
		h, nudged := hooked()
		post(h, body, signature, header)
		if len(*nudged) > 0 && header != signed(hookSecret, body, hookNow) {
			t.Errorf("%q under %q has %q looked at", body, header, *nudged)
		}
		w := post(h, body, signature, signed(hookSecret, body, hookNow))
		if w.Code != http.StatusNoContent && len(body) <= 1<<20 {
			t.Errorf("%q is answered with %d", body, w.Code)
		}
	})
}
