package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/text"
)

// statusOptions are those of `muster status`.
type statusOptions struct {
	*app
	reading
}

func newStatus(a *app) *cobra.Command {
	o := &statusOptions{app: a}
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "the state of the server, and who you are to it",
		Example: "  muster status",
		Args:    needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.read(cmd.Context(), &o.reading, o.ask)
		},
	}
	cmd.Flags().BoolVarP(&o.reading.watch, "watch", "w", false, "show it again whenever something happens")
	return cmd
}

func (o *statusOptions) ask(ctx context.Context) (answer, error) {
	s, err := o.client().System.Status(ctx, &musterv1.StatusRequest{})
	if err != nil {
		return answer{}, err
	}
	return answer{message: s, lead: func(p *page) { p.status(o.server, s) }, rows: statusRows(s)}, nil
}

func (p *page) status(server string, s *musterv1.StatusResponse) {
	p.warnings(s.GetWarnings())
	started := s.GetStarted().AsTime()
	p.say("server     %s, up for %s", server, p.ago(started))
	p.say("you        %s%s", s.GetActor(), map[bool]string{true: " (an operator)"}[s.GetOperator()])
	if len(s.GetRoles()) > 0 && !s.GetOperator() {
		p.wrapAs("roles      ", strings.Join(s.GetRoles(), ", "))
	}
	p.say("state      version %d%s", s.GetSeen().GetVersion(), behind(s))
	p.say("fleet      %s on %s, %s in %s, %s",
		text.Count(s.GetGpus(), "GPU"), text.Count(s.GetNodes(), "node"), text.Count(s.GetPartitions(), "partition"), text.Count(s.GetClusters(), "cluster"), text.Count(s.GetQuotas(), "quota"))
	if s.GetAssigned() > 0 {
		p.say("grants     %s", p.grants(s))
	}
	var parts []string
	for _, word := range slices.Sorted(maps.Keys(s.GetWorkloads())) {
		parts = append(parts, fmt.Sprintf("%d %s", s.GetWorkloads()[word], word))
	}
	if len(parts) == 0 {
		parts = []string{"none yet"}
	}
	p.say("workloads  %s", strings.Join(parts, ", "))
}

// behind says how far a server that follows may be behind the one that leads.
func behind(s *musterv1.StatusResponse) string {
	lag := s.GetSeen().GetLag()
	if lag == nil {
		return ""
	}
	return fmt.Sprintf(", at most %d ms behind %s, which leads", lag.AsDuration().Milliseconds(), s.GetLeader())
}

// grants says what of all grants is kept, and what is not.
func (p *page) grants(s *musterv1.StatusResponse) string {
	says := fmt.Sprintf("%s of %s backed", grouped(int64(s.GetAssigned()-s.GetUnbacked())), text.Counted(s.GetAssigned(), "GPU is", "GPUs are"))
	if s.GetGangsUnbacked() > 0 {
		says += ", " + p.paint.paint(bad, inPieces(s.GetGangsUnbacked()))
	}
	return says
}

// inPieces says how many grants declare a gang that no island backs whole.
func inPieces(n int32) string {
	return text.Count(int(n), "grant") + " cannot be used in one piece"
}

func statusRows(s *musterv1.StatusResponse) *table {
	t := newTable("", column{head: "WORKLOADS"}, column{head: "COUNT"})
	for _, word := range slices.Sorted(maps.Keys(s.GetWorkloads())) {
		t.add(word, s.GetWorkloads()[word])
	}
	return t
}
