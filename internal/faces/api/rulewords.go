package api

import (
	"fmt"
	"regexp"

	"buf.build/go/protovalidate"
)

// ruleWords say in words what the rules of the .proto files ask for, by what the validator says of them: what is
// wrong, and what would be right.
var ruleWords = []struct {
	says  *regexp.Regexp
	words string
}{
	{regexp.MustCompile(`^must be greater than or equal to (\S+) and less than or equal to (\S+)$`), "is out of range; write a number from $1 to $2"},
	{regexp.MustCompile(`^must be greater than (\S+) and less than or equal to (\S+)$`), "is out of range; write a number above $1, up to $2"},
	{regexp.MustCompile(`^must be greater than or equal to (\S+)$`), "is too small; write $1 or more"},
	{regexp.MustCompile(`^must be greater than (\S+)$`), "is too small; write a number above $1"},
	{regexp.MustCompile(`^must be less than or equal to (\S+)$`), "is too large; write $1 or less"},
	{regexp.MustCompile(`^must be at least 1 characters$`), "is empty; write at least 1 character"},
	{regexp.MustCompile(`^must be at least (\d+) characters$`), "is too short; write at least $1 characters"},
	{regexp.MustCompile(`^must be at most (\d+) characters$`), "is too long; write at most $1 characters"},
	{regexp.MustCompile(`^must contain at least 1 item\(s\)$`), "is missing; name at least one"},
	{regexp.MustCompile(`^must contain at least (\d+) item\(s\)$`), "has too few entries; name at least $1"},
	{regexp.MustCompile(`^must contain no more than (\d+) item\(s\)$`), "has too many entries; name at most $1"},
	{regexp.MustCompile(`^value is required$`), "is missing; it has to be said"},
}

// ruleInWords is what a rule says, in words of its own where it has some.
func ruleInWords(says string) string {
	for _, r := range ruleWords {
		if r.says.MatchString(says) {
			return r.says.ReplaceAllString(says, r.words)
		}
	}
	return says
}

// offending is the value that breaks a rule, as it stands before what is wrong with it; "": it is empty, or a list. A
// long one is cut, so that a name of ten megabytes is not sent back.
func offending(v *protovalidate.Violation) string {
	if !v.FieldValue.IsValid() {
		return ""
	}
	switch x := v.FieldValue.Interface().(type) {
	case string:
		if x != "" {
			return fmt.Sprintf("%.40q ", x)
		}
	case int32, int64, uint32, uint64, float32, float64:
		return fmt.Sprintf("%v ", x)
	}
	return ""
}
