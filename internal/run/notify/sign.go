package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// SignatureHeader carries t=UNIX SECONDS,v1=HEX: the HMAC-SHA256, under the
// subscription's secret, of "SECONDS.BODY". A receiver that checks both the code
// and the age of the time takes nothing from other senders, and nothing twice.
const SignatureHeader = "Muster-Signature"

// Key is what the server makes secrets of: 32 random bytes that stay on its disk.
type Key []byte

// Secret is what a subscription's calls are signed with. It is made of the key and
// the subscription, so that no log holds it; setting the subscription anew changes it.
func (k Key) Secret(s *fleet.Subscription) string {
	return hex.EncodeToString(code(k, fmt.Sprintf("%s\n%d\n%s", s.Name, s.Since, s.URL)))
}

// Sign is the signature of a body that is sent at a moment.
func Sign(secret string, at time.Time, body []byte) string {
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(code([]byte(secret), fmt.Sprintf("%d.%s", at.Unix(), body))))
}

func code(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
