package buildkite

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	api "github.com/buildkite/go-buildkite/v4"
)

// Bounds of a webhook: its bytes, how far its moment may be from now, and how many
// signatures are remembered.
const (
	mostPayload    = 1 << 20
	replayWindow   = 5 * time.Minute
	mostSignatures = 10_000
)

// Hook takes Buildkite's webhooks. What one says of a build is not believed: it only lets
// the build's operation be looked at now, and not when it is due. So one that is lost, late
// or out of order changes nothing but the moment of a look.
type Hook struct {
	Secret string                      // the webhook's token, with which Buildkite signs
	Now    func() time.Time            // nil: time.Now
	Nudge  func(operation string) bool // false: nothing here looks at it now

	mu   sync.Mutex
	seen map[string]time.Time // signatures of the replay window
}

var (
	errUnsigned = errors.New("the signature in X-Buildkite-Signature does not fit: timestamp=SECONDS,signature=HEX of the whole body by the webhook's token is needed")
	errOld      = errors.New("the webhook is older than 5 minutes, or of the future")
)

// ServeHTTP answers 204 to a webhook that is well signed, also to one that came before, and
// 503 where nothing would look at its build now: Buildkite sends it again.
func (h *Hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "webhooks are posted", http.StatusMethodNotAllowed)
		return
	}
	header := r.Header.Get(api.SignatureHeader)
	s, err := h.parts(header)
	if err != nil { // what cannot be right is not read
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostPayload))
	if err != nil {
		http.Error(w, "a webhook has at most 1 MiB", http.StatusRequestEntityTooLarge)
		return
	}
	if !s.signs(body, h.Secret) {
		http.Error(w, errUnsigned.Error(), http.StatusUnauthorized)
		return
	}
	if operation := operationOf(body); operation != "" && h.remember(s.sum) && !h.Nudge(operation) {
		h.unremember(s.sum)
		w.Header().Set("Retry-After", "5")
		http.Error(w, "no server builds clusters now; send it again in a moment", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (h *Hook) now() time.Time {
	if h.Now != nil {
		return h.Now()
	}
	return time.Now()
}

// remember keeps a signature for the replay window; false: it came before, however it was written.
func (h *Hook) remember(sum []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, again := h.seen[string(sum)]; again {
		return false
	}
	now := h.now()
	if h.seen == nil || len(h.seen) >= mostSignatures {
		h.forget(now)
	}
	h.seen[string(sum)] = now
	return true
}

// unremember lets a signature come again: what it was under was not used.
func (h *Hook) unremember(sum []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.seen, string(sum))
}

// forget drops the signatures that the replay window refuses by itself; where so many came
// within it, all: one that comes again costs a look.
func (h *Hook) forget(now time.Time) {
	kept := map[string]time.Time{}
	for s, at := range h.seen {
		if now.Sub(at) <= 2*replayWindow {
			kept[s] = at
		}
	}
	if len(kept) >= mostSignatures {
		clear(kept)
	}
	h.seen = kept
}

// signature is what a webhook is signed with.
type signature struct {
	seconds string // its moment, as it is signed
	sum     []byte
}

// parts reads timestamp=SECONDS,signature=HEX of a moment not far from now. The SDK's own
// reading ends the program where an equals sign is missing, and takes signatures of any age.
func (h *Hook) parts(header string) (s signature, _ error) {
	first, second, _ := strings.Cut(header, ",")
	seconds, isTime := strings.CutPrefix(strings.TrimSpace(first), "timestamp=")
	digits, isSum := strings.CutPrefix(strings.TrimSpace(second), "signature=")
	at, err := strconv.ParseInt(seconds, 10, 64)
	sum, wrong := hex.DecodeString(digits)
	if !isTime || !isSum || err != nil || wrong != nil || h.Secret == "" {
		return s, errUnsigned
	}
	if age := h.now().Sub(time.Unix(at, 0)); age > replayWindow || age < -replayWindow {
		return s, errOld
	}
	return signature{seconds, sum}, nil
}

// signs says whether this is the signature of a body by who knows the secret.
func (s signature) signs(body []byte, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(s.seconds + "."))
	mac.Write(body)
	return hmac.Equal(s.sum, mac.Sum(nil))
}

// operationOf is the operation of the build that an event is of; "": it is none of Muster's.
func operationOf(body []byte) string {
	var e struct {
		Build struct {
			MetaData map[string]any `json:"meta_data"`
		} `json:"build"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return ""
	}
	id, _ := e.Build.MetaData[operationKey].(string)
	return id
}
