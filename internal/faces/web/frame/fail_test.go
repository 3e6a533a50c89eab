package frame

import "testing"

// What a refusal says stands alone on a page: it is a sentence there, and a name at its beginning stays as it is.
func TestARefusalIsASentenceOnAPage(t *testing.T) {
	for text, want := range map[string]string{
		"there is no saved haircut \"north\"; muster haircut list shows those there are": "There is no saved haircut \"north\"; muster haircut list shows those there are.",
		"lynx is no cluster":                               "lynx is no cluster.",
		"no cluster of that name is here":                  "No cluster of that name is here.",
		"there is no quota \"oka\"; did you mean \"oak\"?": "There is no quota \"oka\"; did you mean \"oak\"?",
		"Try again.": "Try again.",
		"":           "",
	} {
		if got := Sentence(text); got != want {
			t.Errorf("%q is written as %q, want %q", text, got, want)
		}
	}
}
