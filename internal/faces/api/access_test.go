package api_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/audit"
)

const (
	opsToken = "ops-token-0123456789abcdef"
	adaToken = "ada-token-0123456789abcdef"
	bobToken = "bob-token-0123456789abcdef"
)

// in is a gang of a namespace.
func in(namespace, name, priority string) *musterv1.SubmitRequest {
	sp := gang(name, "flex", 1)
	sp.Namespace, sp.Priority = namespace, priority
	return &musterv1.SubmitRequest{Spec: sp}
}

// A namespace that the caller only says is refused: it opened every quota that lists
// namespaces, and took others' names.
func TestANamespaceIsAFactAndNoClaim(t *testing.T) {
	h := guarded(t)
	ada := h.as(adaToken, "")
	for namespace, want := range map[string]bool{"oak": true, "ada": true, "birch": false, "bob": false, "post": false} {
		_, err := ada.Workloads.Submit(t.Context(), in(namespace, "train", "mid"))
		equal(t, namespace, err == nil, want)
		equal(t, namespace+": refused", client.Refused(err, client.AccessDenied), !want)
	}
	_, err := h.Access.GrantRole(t.Context(), &musterv1.GrantRoleRequest{
		Write:   &musterv1.Write{Reason: "post works on birch"},
		Binding: &musterv1.RoleBinding{Subject: "group:post", Role: "researcher", Scope: &musterv1.Scope{Namespace: "birch"}},
	})
	must(t, err)
	_, err = ada.Workloads.Submit(t.Context(), in("birch", "train", "mid"))
	must(t, err)
}

// Work that an API caller submits under a cluster's name would hide the cluster's own.
func TestNamesOfAClusterAreItsAgentsAlone(t *testing.T) {
	h := guarded(t)
	for who, c := range map[string]*client.Client{"an operator": h.Client, "ada": h.as(adaToken, "")} {
		_, err := c.Workloads.Submit(t.Context(), in("oak@tiger", "train", "mid"))
		equal(t, who, err != nil, true)
		_, err = c.Workloads.SubmitBatch(t.Context(), &musterv1.SubmitBatchRequest{Specs: []*musterv1.WorkloadSpec{in("oak@tiger", "train", "mid").GetSpec()}})
		equal(t, who+", in a batch", err != nil, true)
	}
	_, err := h.Client.Workloads.Submit(t.Context(), in("oak@tiger", "train", "mid"))
	equal(t, "the operator's refusal", client.Refused(err, client.DecidedElsewhere), true)
}

// Critical work of another team evicted a team's own in a quota without a list.
func TestAForeignPriorityAndAnOpenQuotaAreClosed(t *testing.T) {
	h := guarded(t)
	_, err := h.Quotas.CreateQuota(t.Context(), &musterv1.CreateQuotaRequest{Path: "research/open"})
	must(t, err)
	sp := in("ada", "train", "mid")
	sp.Spec.Target = "research/open"
	_, err = h.as(adaToken, "").Workloads.Submit(t.Context(), sp)
	equal(t, "a quota without a list", client.Refused(err, client.AccessDenied), true)
	_, err = h.as(adaToken, "").Workloads.Submit(t.Context(), in("ada", "train", "critical"))
	equal(t, "critical", client.Refused(err, client.AccessDenied), true)
	_, err = h.as(adaToken, "").Workloads.Submit(t.Context(), in("ada", "train", "high"))
	must(t, err)
	_, err = h.as(adaToken, "").Workloads.SetPriority(t.Context(), &musterv1.SetPriorityRequest{Namespace: "ada", Name: "train", Priority: "critical"})
	equal(t, "critical afterwards", client.Refused(err, client.AccessDenied), true)
}

// Others' work is not shown in full, neither by name nor in lists nor in the log.
func TestOthersWorkIsNotShown(t *testing.T) {
	h := guarded(t)
	_, err := h.as(adaToken, "").Workloads.Submit(t.Context(), in("ada", "secret-plan", "mid"))
	must(t, err)
	bob := h.as(bobToken, "")
	_, err = bob.Workloads.GetWorkload(t.Context(), &musterv1.GetWorkloadRequest{Namespace: "ada", Name: "secret-plan"})
	equal(t, "by name", client.Refused(err, client.AccessDenied), true)
	_, err = bob.Workloads.Why(t.Context(), &musterv1.WhyRequest{Namespace: "ada", Name: "secret-plan"})
	equal(t, "why", client.Refused(err, client.AccessDenied), true)
	list, err := bob.Workloads.ListWorkloads(t.Context(), &musterv1.ListWorkloadsRequest{})
	must(t, err)
	equal(t, "in the list", len(list.GetWorkloads()), 0)
	events, err := bob.Events.ListEvents(t.Context(), &musterv1.ListEventsRequest{})
	must(t, err)
	equal(t, "in the log", strings.Contains(events.String(), "secret-plan"), false)
	own, err := h.as(adaToken, "").Events.ListEvents(t.Context(), &musterv1.ListEventsRequest{})
	must(t, err)
	equal(t, "in the log, to its owner", strings.Contains(own.String(), "secret-plan"), true)
}

func TestNobodyAnswersTheirOwnRequest(t *testing.T) {
	h := guarded(t)
	_, err := h.Quotas.SetOwner(t.Context(), &musterv1.SetOwnerRequest{Path: "research/oak", Owner: "bob"})
	must(t, err)
	bob := h.as(bobToken, "")
	_, err = bob.Requests.Ask(t.Context(), &musterv1.AskRequest{Quota: "research/oak", Access: &musterv1.Access{Users: []string{"bob"}}})
	must(t, err)
	_, err = bob.Requests.Answer(t.Context(), &musterv1.AnswerRequest{Id: 1, Grant: true})
	equal(t, "bob's own", client.Refused(err, client.AccessDenied), true)
	_, err = h.as(opsToken, "bob").Requests.Answer(t.Context(), &musterv1.AnswerRequest{Id: 1, Grant: true})
	equal(t, "on bob's behalf", client.Refused(err, client.AccessDenied), true)
	_, err = h.Requests.Answer(t.Context(), &musterv1.AnswerRequest{Id: 1, Grant: true})
	must(t, err)
}

// A token of a service account is told once, acts within its role, and ends when it is revoked.
func TestATokenOfAServiceAccountLivesAndEnds(t *testing.T) {
	h := withAccounts(t)
	_, err := h.Access.GrantRole(t.Context(), &musterv1.GrantRoleRequest{
		Write:   &musterv1.Write{Reason: "its exporter"},
		Binding: &musterv1.RoleBinding{Subject: "serviceaccount:dcgm", Role: "monitor", Scope: &musterv1.Scope{Cluster: "tiger"}},
	})
	must(t, err)
	made, err := h.Access.CreateToken(t.Context(), &musterv1.CreateTokenRequest{Account: "dcgm"})
	must(t, err)
	dcgm := h.as(made.GetSecret(), "")
	s, err := dcgm.System.Status(t.Context(), &musterv1.StatusRequest{})
	must(t, err)
	equal(t, "who it is", s.GetActor()+" "+strings.Join(s.GetRoles(), ","), "serviceaccount:dcgm monitor in cluster tiger")
	_, err = dcgm.Health.RecordValidation(t.Context(), &musterv1.RecordValidationRequest{Node: "tiger-h200-i1-001", Passed: true})
	must(t, err)
	_, err = dcgm.Quotas.CreateQuota(t.Context(), &musterv1.CreateQuotaRequest{Path: "mine"})
	equal(t, "beyond its role", client.Refused(err, client.NotOperator), true)
	list, err := h.Access.ListTokens(t.Context(), &musterv1.ListTokensRequest{})
	must(t, err)
	equal(t, "tokens", len(list.GetTokens()), 1)
	equal(t, "used", list.GetTokens()[0].GetUsed() != nil, true)
	equal(t, "the secret is nowhere", strings.Contains(list.String(), made.GetSecret()), false)
	next, err := h.Access.RotateToken(t.Context(), &musterv1.RotateTokenRequest{Id: made.GetToken().GetId()})
	must(t, err)
	_, err = h.as(next.GetSecret(), "").System.Version(t.Context(), &musterv1.VersionRequest{})
	must(t, err)
	_, err = h.Access.RevokeToken(t.Context(), &musterv1.RevokeTokenRequest{Id: next.GetToken().GetId()})
	must(t, err)
	_, err = h.as(next.GetSecret(), "").System.Version(t.Context(), &musterv1.VersionRequest{})
	equal(t, "revoked", connect.CodeOf(err), connect.CodeUnauthenticated)
	h.later(2 * rotated)
	_, err = dcgm.System.Version(t.Context(), &musterv1.VersionRequest{})
	equal(t, "the old one, an hour later", connect.CodeOf(err), connect.CodeUnauthenticated)
}

// The glass is broken with a reason, makes an admin for an hour, and is on the banner.
func TestBreakingTheGlassIsLoudAndEnds(t *testing.T) {
	h := guarded(t)
	ada := h.as(adaToken, "")
	ask := &musterv1.BreakGlassRequest{Write: &musterv1.Write{Reason: "everybody else is away"}}
	_, err := ada.Access.BreakGlass(t.Context(), ask)
	equal(t, "without the role", client.Refused(err, client.NotOperator), true)
	_, err = h.Access.GrantRole(t.Context(), &musterv1.GrantRoleRequest{
		Write: &musterv1.Write{Reason: "she is on call"}, Binding: &musterv1.RoleBinding{Subject: "user:ada", Role: "break-glass"},
	})
	must(t, err)
	_, err = ada.Access.BreakGlass(t.Context(), &musterv1.BreakGlassRequest{})
	equal(t, "without a reason", client.Refused(err, client.ReasonNeeded), true)
	_, err = ada.Access.BreakGlass(t.Context(), ask)
	must(t, err)
	_, err = ada.Quotas.CreateQuota(t.Context(), &musterv1.CreateQuotaRequest{Path: "hers"})
	must(t, err)
	s, err := h.as(bobToken, "").System.Status(t.Context(), &musterv1.StatusRequest{})
	must(t, err)
	equal(t, "the banner that bob sees", strings.Contains(strings.Join(s.GetBanners(), ";"), "user:ada broke the glass"), true)
	equal(t, "bob's warnings", len(s.GetWarnings()), 1)
	w := s.GetWarnings()[0]
	equal(t, "when, and why", strings.Contains(w.GetText(), "broke the glass at 20") && strings.HasSuffix(w.GetText(), ": everybody else is away"), true)
	equal(t, "its key and its end", strings.HasPrefix(w.GetKey(), "glass user:ada ") && w.GetUntil() != nil && w.GetAcknowledgedBy() == "", true)
	h.later(rotated)
	s, err = h.as(bobToken, "").System.Status(t.Context(), &musterv1.StatusRequest{})
	must(t, err)
	equal(t, "bob's warnings an hour later", len(s.GetWarnings()), 0)
	_, err = ada.Quotas.CreateQuota(t.Context(), &musterv1.CreateQuotaRequest{Path: "hers-too"})
	equal(t, "an hour later", client.Refused(err, client.NotOperator), true)
}

// What is refused, read and used is written down with its source and its token.
func TestTheAuditLogHasWhatTheJournalHasNot(t *testing.T) {
	log, err := audit.Open(t.TempDir(), nil)
	must(t, err)
	h := guarded(t, func(o *api.Options) { o.Audit = recorded{log} })
	_, err = h.as(bobToken, "").Fleet.AddCluster(t.Context(), &musterv1.AddClusterRequest{Name: "lion"})
	equal(t, "refused", client.NotAllowed(err), true)
	_, err = h.as(bobToken, "").Workloads.Submit(t.Context(), in("birch", "train", "mid"))
	equal(t, "refused by the command", client.NotAllowed(err), true)
	for range 50 {
		_, err = h.as("wrong-token-0123456789abcdef", "").System.Status(t.Context(), &musterv1.StatusRequest{})
		equal(t, "unknown", client.NotAllowed(err), true)
	}
	list, _, err := log.Entries(1, 1000)
	must(t, err)
	found := map[audit.Kind]int{}
	for _, e := range list {
		found[e.Kind]++
		if e.Kind == audit.Denied && (e.Actor != "user:bob" || !strings.HasPrefix(e.Source, "127.0.0.1:") || !strings.HasPrefix(e.Token, "file:")) {
			t.Errorf("a denial without its source: %+v", e)
		}
	}
	equal(t, "denials", found[audit.Denied], 2)
	equal(t, "unknown callers, in one line", found[audit.Unknown], 1)
	equal(t, "tokens used", found[audit.TokenUsed] >= 2, true)
}

// A user who is taken out of the file is refused soon, and a file with a slip in it locks
// no user out.
func TestTheTokensFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	line := func(token, user string) string { return "- {token_sha256: " + sumOf(token) + ", user: " + user + "}\n" }
	must(t, os.WriteFile(path, []byte(line(adaToken, "ada")+line(bobToken, "bob")), 0o600))
	f, err := api.OpenTokensFile(path, nil)
	must(t, err)
	knows := func(token string) bool {
		t.Helper()
		f.LookNow()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		_, err = f.Identify(r)
		return err == nil
	}
	equal(t, "bob", knows(bobToken), true)
	must(t, os.WriteFile(path, []byte(line(adaToken, "ada")), 0o600))
	equal(t, "bob, taken out", knows(bobToken), false)
	equal(t, "ada", knows(adaToken), true)
	must(t, os.WriteFile(path, []byte("- a slip"), 0o600))
	equal(t, "ada, after a slip", knows(adaToken), true)
}

// Each mistake in the tokens file is said once, and that it can be read again stands out as they do.
func TestEachMistakeInTheTokensFileIsSaid(t *testing.T) {
	path, good := filepath.Join(t.TempDir(), "tokens.yaml"), "- {token_sha256: "+sumOf(adaToken)+", user: ada}\n"
	must(t, os.WriteFile(path, []byte(good), 0o600))
	var log bytes.Buffer
	f, err := api.OpenTokensFile(path, slog.New(slog.NewTextHandler(&log, nil)))
	must(t, err)
	for i, c := range []struct {
		file           string
		errors, warned int
		unread         bool
	}{
		{"- a slip", 1, 0, true}, {"- a slip", 1, 0, true}, {"- {user: ada}", 2, 0, true}, {good, 2, 1, false}, {"- a slip", 3, 1, true},
	} {
		must(t, os.WriteFile(path, []byte(c.file), 0o600))
		f.LookNow()
		since, fault := f.Unread()
		equal(t, fmt.Sprintf("step %d: unread", i), fault != nil && !since.IsZero(), c.unread)
		equal(t, fmt.Sprintf("step %d: mistakes", i), strings.Count(log.String(), "level=ERROR"), c.errors)
		equal(t, fmt.Sprintf("step %d: can be read again", i), strings.Count(log.String(), "level=WARN"), c.warned)
	}
}

// A mistake in the tokens file is logged while it is new, also where no caller comes.
func TestAMistakeInTheTokensFileIsSaidUnasked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "tokens.yaml")
		must(t, os.WriteFile(path, []byte("- {token_sha256: "+sumOf(adaToken)+", user: ada}\n"), 0o600))
		var log bytes.Buffer
		f, err := api.OpenTokensFile(path, slog.New(slog.NewTextHandler(&log, nil)))
		must(t, err)
		ctx, end := context.WithCancel(t.Context())
		go func() { _ = f.Watch(ctx) }()
		must(t, os.WriteFile(path, []byte("- a slip"), 0o600))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		end()
		synctest.Wait()
		equal(t, "mistakes", strings.Count(log.String(), "level=ERROR"), 1)
	})
}

// What operators alone are to know of the server is told to no others.
func TestANoticeForOperatorsIsTheirsAlone(t *testing.T) {
	h := guarded(t, func(o *api.Options) {
		o.Notices = func() []api.Notice { return []api.Notice{{Key: "tokens", Text: "the file", Operators: true}} }
	})
	for token, told := range map[string]int{opsToken: 1, adaToken: 0} {
		s, err := h.as(token, "").System.Status(t.Context(), &musterv1.StatusRequest{})
		must(t, err)
		equal(t, token, len(s.GetBanners())+len(s.GetWarnings()), 2*told)
	}
}

// A role in a scope that names what is not there may be a slip of the pen: it is granted, and the answer says so.
func TestARoleInAScopeThatIsNotThereSaysSo(t *testing.T) {
	h := guarded(t)
	h.submit(gang("run", "flex", 1))
	_, err := h.Quotas.SetAccess(t.Context(), &musterv1.SetAccessRequest{Path: "research/oak", Access: &musterv1.Access{Namespaces: []string{"elm"}}})
	must(t, err)
	for _, c := range []struct {
		scope *musterv1.Scope
		says  string
	}{
		{&musterv1.Scope{Quota: "nosuch"}, "There is no quota nosuch yet; the role holds once there is."},
		{&musterv1.Scope{Cluster: "nosuch"}, "There is no cluster nosuch yet; the role holds once there is."},
		{&musterv1.Scope{Namespace: "nosuch"}, "No work and no quota names namespace nosuch yet; the role holds once there is."},
		{&musterv1.Scope{Quota: "research"}, ""},
		{&musterv1.Scope{Quota: "research/oak"}, ""},
		{&musterv1.Scope{Cluster: "tiger"}, ""},
		{&musterv1.Scope{Namespace: "oak"}, ""},
		{&musterv1.Scope{Namespace: "elm"}, ""},
		{nil, ""},
	} {
		for _, try := range []bool{true, false} {
			r, err := h.Access.GrantRole(t.Context(), &musterv1.GrantRoleRequest{
				Write: &musterv1.Write{Reason: "looks", DryRun: try}, Binding: &musterv1.RoleBinding{Subject: "user:bob", Role: "viewer", Scope: c.scope},
			})
			must(t, err)
			equal(t, c.scope.String(), strings.Join(r.GetWritten().GetNotes(), " "), c.says)
		}
	}
}

func TestWeakTokensAreRefused(t *testing.T) {
	for _, token := range []string{"a", "ops", "password", "abcdefghijklmnopqrstu", strings.Repeat("a", 64), "0101010101010101010101010101"} {
		tokens, err := api.ParseTokens(strings.NewReader("- {token_sha256: " + sumOf(token) + ", user: ada, operator: true}"))
		must(t, err)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		if _, err := tokens.Identify(r); err == nil || !strings.Contains(err.Error(), "too weak") {
			t.Errorf("token %q: %v", token, err)
		}
	}
}
