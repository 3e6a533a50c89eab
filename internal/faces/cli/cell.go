package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// twofold is a text of which programs read another than people, who have two columns in one.
type twofold struct{ people, programs string }

// nothing stands where a number is zero, so that those that are not stand out.
const nothing = "-"

// human is a value as people read it.
func human(v any, c clock) string {
	switch v := v.(type) {
	case int32:
		return number(int64(v))
	case int:
		return number(int64(v))
	case uint64:
		return number(int64(v))
	case *timestamppb.Timestamp:
		if v == nil {
			return nothing
		}
		return c.moment(v.AsTime())
	case time.Duration:
		if v == 0 {
			return nothing
		}
		return short(v)
	case []string:
		return clean(strings.Join(v, ","))
	case mark:
		return clean(v.text)
	case twofold:
		return clean(v.people)
	}
	return clean(fmt.Sprint(v))
}

// clean keeps what people and monitors wrote from steering the terminal.
func clean(s string) string { return strings.Map(text.SafeRune, s) }

// cell is a value as spreadsheets read it: what people and monitors wrote is no formula there.
func cell(v any) string {
	switch v.(type) {
	case string, []string, mark, twofold:
		return text.Cell(plainText(v))
	}
	return plainText(v)
}

// plainText is a value as programs read it.
func plainText(v any) string {
	switch v := v.(type) {
	case *timestamppb.Timestamp:
		if v == nil {
			return ""
		}
		return v.AsTime().Format(time.RFC3339Nano)
	case time.Duration:
		return strconv.FormatFloat(v.Seconds(), 'f', -1, 64)
	case []string:
		return strings.Join(v, " ")
	case mark:
		return v.text
	case twofold:
		return v.programs
	case figure:
		return strconv.FormatFloat(v.value, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func number(n int64) string {
	if n == 0 {
		return nothing
	}
	return grouped(n)
}

// grouped groups a number's digits by threes.
func grouped(n int64) string { return text.Group(n) }

// short says a length of time in at most two units: 45s, 12m, 3h5m, 2d4h.
func short(d time.Duration) string {
	if d < 0 {
		return "in " + words.About(-d)
	}
	return words.About(d)
}
