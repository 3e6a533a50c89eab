package core

import (
	"fmt"
	"sort"
	"strings"
)

// Refusal is the domain's no: the command changed nothing. Message says what is
// wrong and what would be right; Figures are the numbers behind it.
type Refusal struct {
	Code    Code
	Message string
	Figures map[string]int
}

// Error is the refusal as one line.
func (r *Refusal) Error() string {
	if len(r.Figures) == 0 {
		return fmt.Sprintf("%s: %s", r.Code, r.Message)
	}
	names := make([]string, 0, len(r.Figures))
	for n := range r.Figures {
		names = append(names, n)
	}
	sort.Strings(names)
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", n, r.Figures[n])
	}
	return fmt.Sprintf("%s: %s (%s)", r.Code, r.Message, strings.Join(names, ", "))
}

func refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (r *Refusal) with(figures map[string]int) *Refusal {
	r.Figures = figures
	return r
}
