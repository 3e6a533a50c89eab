package text

import "testing"

func TestCellsAreNeitherFormulasNorEscapes(t *testing.T) {
	for from, want := range map[string]string{
		"":                       "",
		"oak":                    "oak",
		"-":                      "-",
		"-12.5":                  "-12.5",
		"+3":                     "+3",
		"=HYPERLINK(\"x\")":      "'=HYPERLINK(\"x\")",
		"+cmd|' /C calc'!A0":     "'+cmd|' /C calc'!A0",
		"-2+3+cmd":               "'-2+3+cmd",
		"@SUM(1)":                "'@SUM(1)",
		"\t=1":                   " =1",
		"a\x1b[31mb":             "a [31mb",
		"a\u0085b\u202ec\u200bd": "a b c d",
	} {
		if got := Cell(from); got != want {
			t.Errorf("%q becomes %q, want %q", from, got, want)
		}
	}
}
