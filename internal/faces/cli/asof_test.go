package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// hearing is a server that answers nothing, and notes what it was asked.
type hearing struct{ asked []protoreflect.Message }

func (h *hearing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	service, method, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err == nil {
		in := d.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(method)).Input()
		is, _ := protoregistry.GlobalTypes.FindMessageByName(in.FullName())
		m := is.New()
		if body, _ := io.ReadAll(r.Body); proto.Unmarshal(body, m.Interface()) == nil {
			h.asked = append(h.asked, m)
		}
	}
	http.Error(w, "nothing is known", http.StatusNotFound)
}

// ask runs a command line against a server that answers nothing, and says what was asked.
func ask(t *testing.T, line ...string) (asked []protoreflect.Message, code int, says string) {
	h := &hearing{}
	server := httptest.NewServer(h)
	defer server.Close()
	var out, trouble bytes.Buffer
	env := &Env{
		In: strings.NewReader(""), Out: &out, Err: &trouble,
		Getenv: func(string) string { return "" }, Now: time.Now, User: "ada", HTTP: server.Client(),
	}
	code = New(env).Run(t.Context(), append([]string{"--server", server.URL}, line...))
	return h.asked, code, trouble.String()
}

// takesAsOf are the commands that take --as-of, and whether they also change something.
func takesAsOf() (lines [][]string, changes map[string]bool) {
	changes = map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.RunE != nil && cmd.Flags().Lookup("as-of") != nil {
			lines = append(lines, strings.Fields(cmd.CommandPath())[1:])
			changes[cmd.CommandPath()] = cmd.Flags().Lookup("dry-run") != nil
		}
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(newRoot(&app{Env: &Env{Getenv: func(string) string { return "" }}}))
	return lines, changes
}

// What a command needs to ask at all, beside its arguments.
var needsFlags = map[string][]string{
	"fit": {"--gang", "1x8"}, "diff": {"-f", "-"}, "undo": {"--who", "ada"}, "rollout plan": {"--scope", "fleet", "--update", "u"},
}

// TestEachQuestionAboutThePastSendsItsMoment: a flag that is read and not sent would be answered with what is now.
func TestEachQuestionAboutThePastSendsItsMoment(t *testing.T) {
	lines, _ := takesAsOf()
	if len(lines) < 40 {
		t.Fatalf("only %d commands take --as-of", len(lines))
	}
	for _, line := range lines {
		name, sent := strings.Join(line, " "), false
		for _, args := range [][]string{{}, {"tiger/h200"}, {"oak/w"}, {"tiger"}, {"a", "b"}, {"a", "1", "2"}} {
			asked, _, _ := ask(t, slices.Concat(line, args, needsFlags[name], []string{"--as-of", "1h"})...)
			for _, m := range asked {
				field := m.Descriptor().Fields().ByName("as_of")
				if field == nil {
					continue
				}
				if sent = m.Has(field); !sent {
					t.Errorf("%s asks %s without its moment", name, m.Descriptor().FullName())
				}
			}
			if sent {
				break
			}
		}
		if !sent {
			t.Errorf("%s --as-of never sent a moment", name)
		}
	}
}

// TestThePastIsNotChanged: a command that asks or changes takes --as-of only where it asks.
func TestThePastIsNotChanged(t *testing.T) {
	change := map[string][]string{
		"muster get hold":     {"get", "hold", "--release", "3"},
		"muster quota hold":   {"quota", "hold", "research/oak", "tiger/h200", "8", "--until", "7d"},
		"muster quota access": {"quota", "access", "research/oak", "--user", "ada"},
		"muster haircut plan": {"haircut", "plan", "--save", "autumn"},
		"muster haircut tell": {"haircut", "tell", "autumn", "--done"},
	}
	_, changes := takesAsOf()
	for name, does := range changes {
		if !does {
			continue
		}
		if change[name] == nil {
			t.Errorf("%s takes --as-of and changes something: say here how, and refuse both together (nowOnly)", name)
			continue
		}
		for _, flags := range [][]string{{"--as-of", "1h"}, {"--watch"}, {"--as-of", "1h", "--dry-run"}} {
			asked, code, says := ask(t, slices.Concat(change[name], flags)...)
			if code != ExitUsage || len(asked) > 0 || !strings.Contains(says, flags[0]) {
				t.Errorf("%s %v: exit code %d, %d calls, %s", name, flags, code, len(asked), says)
			}
		}
	}
}

// TestABlankNameIsRefused: a flag that is given and blank is no flag that is left out.
func TestABlankNameIsRefused(t *testing.T) {
	for _, line := range []string{
		"quota create research/oak --user", "quota access research/oak --user", "quota access research/oak --group", "haircut plan --save",
		"job list --user", "job list --partition", "incident open sev-1 --owner", "node cordon n-001 --idempotency-key", "nfz add z --to 2h --scope",
		"submit --gang 1x8 --name a --target", "haircut apply autumn --class", "events --about", "capacity --partition", "quota list --partition",
	} {
		for _, empty := range []string{"", " "} {
			asked, code, says := ask(t, append(strings.Fields(line), empty)...)
			if code != ExitUsage || len(asked) > 0 || !strings.Contains(says, "is blank; give it a value, or leave it out") {
				t.Errorf("%s %q: exit code %d, %d calls, %s", line, empty, code, len(asked), says)
			}
		}
	}
	for _, line := range []string{"undo --who", "incident update sev-1 --owner", "quota delete research/oak --reason"} {
		if asked, _, says := ask(t, append(strings.Fields(line), "")...); len(asked) == 0 {
			t.Errorf("%s %q: %s", line, "", says)
		}
	}
}
