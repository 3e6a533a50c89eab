package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

func newAudit(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "what was refused, who signed in, which tokens were used: list, export, verify",
	}
	return group(cmd, newAuditList(a), newAuditExport(a), newAuditVerify(a))
}

func newAuditList(a *app) *cobra.Command {
	ask := &musterv1.ListAuditRequest{}
	cmd := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "list the last entries of the audit log",
		Example: "  muster audit list --limit 20",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, end := a.within(cmd.Context())
			defer end()
			res, err := a.client().Access.ListAudit(ctx, ask)
			if err != nil {
				return err
			}
			t := newTable("The audit log is empty.",
				column{head: "SEQ"}, column{head: "WHEN"}, column{head: "KIND"}, column{head: "ACTOR"}, column{head: "FROM"}, column{head: "TOKEN"}, column{head: "CALL"}, column{head: "TIMES"}, column{head: "TEXT", folds: true, spare: true})
			for _, e := range res.GetEntries() {
				t.add(e.GetSeq(), e.GetAt(), e.GetKind(), e.GetActor(), e.GetSource(), e.GetToken(), e.GetCall(), max(1, e.GetTimes()), e.GetText())
			}
			return a.print(a.Out, answer{message: res, table: t})
		},
	}
	cmd.Flags().Uint64Var(&ask.From, "from", 0, "from this number on; 0: the last ones")
	cmd.Flags().Int32Var(&ask.Limit, "limit", 100, "so many at most")
	return cmd
}

func newAuditExport(a *app) *cobra.Command {
	var from uint64
	format := "json"
	cmd := &cobra.Command{
		Use: "export", Short: "write the audit log as JSON lines, or as CEF for log collectors",
		Example: "  muster audit export\n  muster audit export --format cef --from 1200",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			line, known := map[string]func(*musterv1.AuditEntry) string{"json": auditJSON, "cef": auditCEF}[format]
			if !known {
				return usage("--format %.40q; write json or cef", format)
			}
			return a.exportAudit(cmd.Context(), max(1, from), line)
		},
	}
	cmd.Flags().Uint64Var(&from, "from", 1, "from this number on")
	cmd.Flags().StringVar(&format, "format", format, "json or cef")
	return cmd
}

func (a *app) exportAudit(ctx context.Context, from uint64, line func(*musterv1.AuditEntry) string) error {
	for from != 0 {
		res, err := a.client().Access.ListAudit(ctx, &musterv1.ListAuditRequest{From: from, Limit: 5000})
		if err != nil {
			return err
		}
		for _, e := range res.GetEntries() {
			if _, err := fmt.Fprintln(a.Out, line(e)); err != nil {
				return err
			}
		}
		from = res.GetNext()
	}
	return nil
}

// auditJSON is an entry as one line of JSON, in which control characters are escaped.
func auditJSON(e *musterv1.AuditEntry) string {
	data, err := protojson.Marshal(e)
	if err != nil {
		return "{}" // its texts are valid: they came by the same encoding
	}
	return string(data)
}

// auditCEF is an entry in the Common Event Format, version 0.
func auditCEF(e *musterv1.AuditEntry) string {
	severity := map[string]int{"denied": 5, "unknown": 5, "roles": 7, "dropped": 6}[e.GetKind()]
	head := strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", " ", "\r", " ")
	value := strings.NewReplacer(`\`, `\\`, "=", `\=`, "\n", `\n`, "\r", `\r`)
	line := fmt.Sprintf("CEF:0|Muster|muster|1|%s|%s|%d|externalId=%d rt=%d cnt=%d", head.Replace(e.GetKind()), head.Replace(e.GetKind()), max(1, severity), e.GetSeq(), e.GetAt().AsTime().UnixMilli(), max(1, e.GetTimes()))
	for _, one := range []struct{ key, text string }{
		{"suser", e.GetActor()}, {"src", e.GetSource()}, {"cs1Label=token cs1", e.GetToken()}, {"request", e.GetCall()}, {"cs2Label=chain cs2", e.GetChain()}, {"msg", e.GetText()},
	} {
		if one.text != "" {
			line += " " + one.key + "=" + value.Replace(one.text)
		}
	}
	return line
}

func newAuditVerify(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "verify",
		Short:   "prove that neither the audit log nor the journal was changed since it was written",
		Example: "  muster audit verify",
		Long: `Verify goes through the audit log and the journal from the beginning, and compares every head in the log
with the records that it names. It exits with 3 where something is not as it was written; with -o json
the field broken says what. The head that it prints can be kept elsewhere: a later head that does not
contain it is a changed past.`,
		Args: needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, end := a.within(cmd.Context())
			defer end()
			done := a.progress("proving")
			res, err := a.client().Access.VerifyAudit(ctx, &musterv1.VerifyAuditRequest{})
			done()
			if err != nil {
				return err
			}
			return a.proven(res)
		},
	}
}

// proven says whether all is as it was written; else it is said what is not, and the exit code is 3.
func (a *app) proven(res *musterv1.VerifyAuditResponse) error {
	broken := res.GetBroken()
	err := a.print(a.Out, answer{message: res, lead: func(p *page) {
		if len(broken) > 0 {
			p.say("not all is as it was written:")
			for _, one := range broken {
				p.wrapAs("  - ", one)
			}
			return
		}
		p.say("%s written", text.Counted(int64(res.GetEntries()), "entry of the audit log is as it was", "entries of the audit log are as they were"))
		if res.GetVersion() == 0 {
			p.say("the journal has no head in the audit log yet: one is written each minute while something changes")
			return
		}
		p.say("the journal is as it was written up to version %d: %s", res.GetVersion(), res.GetHead())
	}})
	if err != nil || len(broken) == 0 {
		return err
	}
	const said = "the audit log or the journal is not as it was written"
	_, _ = fmt.Fprintln(a.Err, "muster: "+said)
	return &told{errors.New(said), ExitNotMet}
}
