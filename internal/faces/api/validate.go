package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"buf.build/go/protovalidate"
	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/text"
)

// validation is the interceptor that holds messages against the rules of the .proto files.
// Of a small message all that is wrong is said; of a large one the first thing: the
// answer to a hundred thousand mistakes is not a list of them.
type validation struct {
	all, first protovalidate.Validator
	within     func(cluster string) (partitions []string) // none: there is no such cluster
	turns      *turns                                     // what it takes counts for the caller; nil: it does not
}

// small is up to how many messages within it a message is small.
const small = 200

func newValidation() (v validation, err error) {
	if v.all, err = protovalidate.New(); err == nil {
		v.first, err = protovalidate.New(protovalidate.WithFailFast())
	}
	if err != nil {
		return v, fmt.Errorf("rules of the API: %w", err)
	}
	return v, nil
}

// WrapUnary is part of connect.Interceptor.
func (v validation) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		if err := v.counted(ctx, req.Any()); err != nil {
			return nil, err
		}
		return next(ctx, req)
	}
}

// WrapStreamingHandler is part of connect.Interceptor.
func (v validation) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		return next(ctx, checkedConn{conn, v, ctx})
	}
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (v validation) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// counted is check, of which the time is the caller's: a megabyte in one name takes ten times as long as to read it.
func (v validation) counted(ctx context.Context, message any) error {
	if c := callerOf(ctx); v.turns != nil && !c.runs {
		took := v.turns.busy()
		defer func() { v.turns.charge(c, took().Seconds()) }()
	}
	return v.check(message)
}

func (v validation) check(message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return notMessage(message)
	}
	messages, controls, err := lookedThrough(m.ProtoReflect())
	if err != nil {
		return err
	}
	rules := v.all
	if messages > small {
		rules = v.first
	}
	if err := rules.Validate(m); err != nil {
		return cmp.Or(v.clusterFor(err), err)
	}
	if !controls {
		return nil
	}
	return plain(m)
}

// clusterFor refuses a cluster where a partition is asked for, with the partitions that it has; nil: it is another mistake.
func (v validation) clusterFor(err error) error {
	var wrong *protovalidate.ValidationError
	if v.within == nil || !errors.As(err, &wrong) || len(wrong.Violations) != 1 || !wrong.Violations[0].FieldValue.IsValid() {
		return nil
	}
	given, _ := wrong.Violations[0].FieldValue.Interface().(string)
	if wrong.Violations[0].RuleValue.IsValid() && wrong.Violations[0].RuleValue.String() == aPartition {
		if list := v.within(given); len(list) > 0 {
			return wire.Wrong(protovalidate.FieldPathString(wrong.Violations[0].Proto.GetField()), "%q is a cluster; name one of its partitions: %s", clipped(given), text.Few(list, mostConcerned))
		}
	}
	return nil
}

// checkedConn checks each message that it receives.
type checkedConn struct {
	connect.StreamingHandlerConn
	v   validation
	ctx context.Context //nolint:containedctx // of the one stream that it is
}

// Receive receives one message and checks it.
func (c checkedConn) Receive(message any) error {
	if err := c.StreamingHandlerConn.Receive(message); err != nil {
		return err
	}
	return c.v.counted(c.ctx, message)
}

// patterns says in words what the patterns of the .proto files ask for.
var patterns = map[string]string{
	"^" + name + "$":                     "is not a name: use letters, digits and - _ . : + @ only",
	aPartition:                           "is not a partition: write cluster and GPU model, as in tiger/h200",
	"^" + name + "(/" + name + ")*$":     "is not a path: write names with slashes between them, as in research/oak",
	"^" + name + "(/" + name + ")?$":     "is not a cluster or a partition: write tiger, or tiger/h200",
	"^" + name + "(/" + name + "){0,2}$": "is not a scope: write tiger, tiger/h200 or tiger/h200/i1",
}

// name is the pattern of one name.
const name = `[\p{L}\p{Nd}._:+@-]+`

// aPartition is the pattern of a partition.
const aPartition = "^" + name + "/" + name + "$"

// mostViolations is how many mistakes an answer names; it counts the others.
const mostViolations = 20

// violations lists what is wrong, place by place, in words.
func violations(e *protovalidate.ValidationError) []*musterv1.FieldViolation {
	var list []*musterv1.FieldViolation
	for _, v := range e.Violations[:min(len(e.Violations), mostViolations)] {
		list = append(list, &musterv1.FieldViolation{
			Field:   protovalidate.FieldPathString(v.Proto.GetField()),
			Message: inWords(v),
		})
	}
	if more := len(e.Violations) - len(list); more > 0 {
		list = append(list, &musterv1.FieldViolation{Field: "request", Message: fmt.Sprintf("and %d more mistakes of this kind", more)})
	}
	return list
}

// choices lists the words of a rule that lets only these through.
func choices(rule protoreflect.Value) []string {
	var list []string
	for i := range rule.List().Len() {
		if word := rule.List().Get(i).String(); word != "" {
			list = append(list, word)
		}
	}
	return list
}

// fault says what is wrong with a name or path where that is easily overlooked; "": it is plain to see.
func fault(v *protovalidate.Violation) string {
	if !v.FieldValue.IsValid() {
		return ""
	}
	s, _ := v.FieldValue.Interface().(string)
	switch {
	case s == "":
		return "; it is empty"
	case strings.ContainsFunc(s, unicode.IsSpace):
		return "; it has a space in it"
	}
	return ""
}

// inWords says what is wrong with a value.
func inWords(v *protovalidate.Violation) string {
	text := ruleInWords(v.Proto.GetMessage())
	if v.Proto.GetRuleId() == "string.pattern" && v.RuleValue.IsValid() {
		if words := patterns[v.RuleValue.String()]; words != "" {
			text = words + fault(v)
		}
	}
	if v.Proto.GetRuleId() == "string.in" && v.RuleValue.IsValid() {
		text = "is none of " + strings.Join(choices(v.RuleValue), ", ")
	}
	return offending(v) + text
}
