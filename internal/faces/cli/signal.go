package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/text"
)

func newSignal(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "signal", Aliases: []string{"signals"}, Short: "signals about nodes: send, list"}
	return group(cmd, newSignalSend(a), newSignalList(a))
}

// signalSendOptions are those of `muster signal send`.
type signalSendOptions struct {
	*app
	writing
	file, check, agent, action, message, id string
	sign
	at moment
}

// sign is what a monitor is said to have seen, as it was typed.
type sign struct {
	codes, gpus               []string
	xid                       int
	xidSaid                   bool
	fatal, healthy, storeOnly bool
}

func newSignalSend(a *app) *cobra.Command {
	o := &signalSendOptions{app: a}
	o.at.env = a.Env
	cmd := &cobra.Command{
		Use:   "send NODE... --check CHECK | send -f FILE",
		Short: "say what was seen on nodes; the policy decides what follows",
		Long: `Send reports what was seen on nodes, as a monitor does: one signal for each node by flags, or many
from a file. The file holds one JSON object after another, or an array of them. Its fields are those of
the API: nodeName, agent, checkName, errorCodes, entitiesImpacted, isFatal, isHealthy,
recommendedAction, processingStrategy, generatedTimestamp, id. A file is taken in batches; a signal sent
twice counts once.`,
		Example: `  muster signal send tiger-h200-i1-003 --xid 79 --gpu 3
  muster signal send tiger-h200-i1-003 --check IBLinkFlapping --healthy
  muster signal send -f signals.jsonl`,
		Args: needs(0, -1, "the names of nodes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.xidSaid = cmd.Flags().Changed("xid")
			signals, err := o.signals(args)
			if err != nil {
				return err
			}
			return o.send(cmd.Context(), signals)
		},
	}
	o.writing.flags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "a file with signals; - reads standard input")
	f.StringVar(&o.check, "check", "", "the check that reports, as in GPUMissing")
	f.IntVar(&o.xid, "xid", 0, "an XID of the driver: the check XIDErrors with this code")
	f.StringVar(&o.agent, "agent", "operator", "who saw it")
	f.StringSliceVar(&o.codes, "code", nil, "a code; may be repeated")
	f.StringSliceVar(&o.gpus, "gpu", nil, "a GPU that it is about; may be repeated")
	f.BoolVar(&o.fatal, "fatal", false, "the node cannot serve")
	f.BoolVar(&o.healthy, "healthy", false, "the check passes (again)")
	f.BoolVar(&o.storeOnly, "store-only", false, "kept and shown, never acted on")
	f.StringVar(&o.action, "action", "", "what is recommended, as in RESTART_BM")
	f.StringVar(&o.message, "message", "", "in words")
	f.StringVar(&o.id, "id", "", "your name for the signal, where there is one node")
	f.Var(&o.at, "at", "when it was seen; now if not said")
	return cmd
}

func (o *signalSendOptions) signals(args []string) ([]*musterv1.Signal, error) {
	if o.file != "" {
		if len(args) > 0 {
			return nil, usage("signals come from --file or from the command line, not from both")
		}
		data, err := o.open(o.file)
		if err != nil {
			return nil, err
		}
		return parseSignals(o.file, data)
	}
	names, err := nodeNames(args)
	switch {
	case err != nil:
		return nil, err
	case len(names) == 0:
		return nil, usage("muster signal send needs the name of a node, or -f FILE")
	case o.check == "" && !o.xidSaid:
		return nil, usage("which check spoke? write --check GPUMissing, or --xid 79")
	case o.xidSaid && o.xid < 1:
		return nil, usage("--xid %d is no XID; they are numbers from 1 on, as in 79", o.xid)
	case o.id != "" && len(names) > 1:
		return nil, usage("--id names one signal, and there are %s", text.Count(len(names), "node"))
	}
	return o.flagged(names), nil
}

func (o *signalSendOptions) flagged(names []string) []*musterv1.Signal {
	at := o.Now()
	if !o.at.at.IsZero() {
		at = o.at.at
	}
	list := make([]*musterv1.Signal, len(names))
	for i, name := range names {
		x := &musterv1.Signal{
			Id: o.id, Agent: o.agent, CheckName: o.check, ErrorCodes: o.codes, IsFatal: o.fatal, IsHealthy: o.healthy,
			RecommendedAction: o.action, Message: o.message, NodeName: name, GeneratedTimestamp: timestamppb.New(at),
		}
		if o.xidSaid {
			x.ErrorCodes = append(append([]string(nil), o.codes...), fmt.Sprint(o.xid))
			if o.check == "" {
				x.CheckName = "XIDErrors"
			}
		}
		if o.storeOnly {
			x.ProcessingStrategy = "STORE_ONLY"
		}
		for _, gpu := range o.gpus {
			x.EntitiesImpacted = append(x.EntitiesImpacted, &musterv1.Entity{Type: "GPU", Value: gpu})
		}
		list[i] = x
	}
	return list
}

// parseSignals reads objects one after another, or an array of them.
func parseSignals(file string, data []byte) ([]*musterv1.Signal, error) {
	var raw []json.RawMessage
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' {
		if err := json.Unmarshal(trimmed, &raw); err != nil {
			return nil, usage("%s is no JSON: %v", file, err)
		}
	} else {
		decoder := json.NewDecoder(bytes.NewReader(data))
		for {
			var one json.RawMessage
			err := decoder.Decode(&one)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, usage("%s: signal %d is no JSON: %v", file, len(raw)+1, err)
			}
			raw = append(raw, one)
		}
	}
	list := make([]*musterv1.Signal, len(raw))
	for i, one := range raw {
		list[i] = &musterv1.Signal{}
		if err := protojson.Unmarshal(one, list[i]); err != nil {
			return nil, usage("%s: signal %d: %s", file, i+1, strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: "))
		}
		if lacks := lacking(list[i]); lacks != "" {
			return nil, usage("%s: signal %d: %s", file, i+1, lacks)
		}
	}
	if len(list) == 0 {
		return nil, usage("%s holds no signal", file)
	}
	return list, nil
}

// batchSize is how many signals go at once.
const batchSize = 1000

func (o *signalSendOptions) send(ctx context.Context, signals []*musterv1.Signal) error {
	ctx, end := o.within(ctx)
	defer end()
	done := o.progress(fmt.Sprintf("sending %s", text.Count(len(signals), "signal")))
	defer done()
	var taken, known int32
	var last *musterv1.SendSignalsResponse
	for from := 0; from < len(signals); from += batchSize {
		w := o.writing.message()
		if w.IdempotencyKey != "" && len(signals) > batchSize {
			w.IdempotencyKey = fmt.Sprintf("%s-%d", w.IdempotencyKey, from)
		}
		res, err := o.client().Health.SendSignals(ctx, &musterv1.SendSignalsRequest{Write: w, Signals: signals[from:min(len(signals), from+batchSize)]})
		if err != nil {
			err = o.inTheFile(err, from)
			if from > 0 {
				return fmt.Errorf("the first %s taken; sending the file again counts nothing twice: %w", text.Counted(from, "signal was", "signals were"), err)
			}
			return err
		}
		taken, known, last = taken+res.GetTaken(), known+res.GetKnown(), res
	}
	done()
	said := takenText(taken, known)
	if len(signals) <= batchSize {
		return o.print(o.Out, answer{message: last, rows: writtenRows(last.GetWritten()), lead: func(p *page) { p.signalsTaken(last.GetWritten(), said) }})
	}
	return o.print(o.Out, answer{value: object{{"taken", taken}, {"known", known}}, lead: func(p *page) { p.say("%s", said) }})
}

// signalsTaken says what became of signals. Those that are no news changed nothing, and are counted.
func (p *page) signalsTaken(w *musterv1.Written, said string) {
	if slices.Contains(w.GetNotes(), wire.Unchanged) {
		p.say("%s (version %d)", said, w.GetVersion())
		return
	}
	p.written(w, said, &names{})
}

// signalListOptions are those of `muster signal list`.
type signalListOptions struct {
	*app
	reading
	scope, node  string
	unknown, all bool
}

func newSignalList(a *app) *cobra.Command {
	o := &signalListOptions{app: a}
	cmd := &cobra.Command{
		Use:     "list [CLUSTER | CLUSTER/GPU]",
		Aliases: []string{"ls"},
		Short:   "list the signals of nodes that are kept",
		Example: "  muster signal list tiger/h200\n  muster signal list --unknown\n  muster signal list --node tiger-h200-i1-003 --all",
		Args:    needs(0, 1, "at most one cluster or partition"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.scope = first(args)
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	o.reading.flags(a, cmd)
	cmd.Flags().StringVar(&o.node, "node", "", "only of this node")
	cmd.Flags().BoolVar(&o.unknown, "unknown", false, "only those that no rule of the policy knows")
	cmd.Flags().BoolVar(&o.all, "all", false, "those that are over too")
	return cmd
}

func (o *signalListOptions) ask(ctx context.Context) (answer, error) {
	res, err := o.client().Health.ListSignals(ctx, &musterv1.ListSignalsRequest{
		AsOf: o.asOf.message(), Scope: o.scope, Node: o.node, Unknown: o.unknown, All: o.all,
	})
	if err != nil {
		return answer{}, err
	}
	ans := answer{message: res, table: conditionTable(res.GetConditions()), rows: conditionRows(res.GetConditions())}
	if len(res.GetConditions()) == 0 {
		ans.unmet = "there is no such signal"
	}
	return ans, nil
}
