package api_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Who reads plans by a role in a narrow scope reads figures and quotas, and no names of work outside that scope.
func TestAPlanNamesNoHiddenWork(t *testing.T) {
	h := aviary(t)
	bind := func(user, role string, scope *musterv1.Scope) {
		_, err := h.Access.GrantRole(t.Context(), &musterv1.GrantRoleRequest{Write: &musterv1.Write{Reason: "looks"}, Binding: &musterv1.RoleBinding{Subject: "user:" + user, Role: role, Scope: scope}})
		must(t, err)
	}
	bind("eve", "viewer", &musterv1.Scope{Namespace: "elm"})
	ask := &musterv1.HaircutAsk{Basis: "quota", Buffer: &musterv1.Buffer{Kind: "fixed", Share: 0.6}}
	_, err := h.Haircuts.PlanHaircut(t.Context(), &musterv1.PlanHaircutRequest{Name: "autumn", Ask: ask, Write: &musterv1.Write{Reason: "to try"}})
	must(t, err)
	answers := func(token string) string {
		c := h.as(token, "").Haircuts
		var all strings.Builder
		says := func(m proto.Message, err error) {
			must(t, err)
			text, err := protojson.Marshal(m)
			must(t, err)
			all.Write(text)
		}
		draft, err := c.DraftHaircut(t.Context(), &musterv1.DraftHaircutRequest{Ask: ask})
		says(draft, err)
		list, err := c.ListHaircuts(t.Context(), &musterv1.ListHaircutsRequest{})
		says(list, err)
		get, err := c.GetHaircut(t.Context(), &musterv1.GetHaircutRequest{Name: "autumn"})
		says(get, err)
		letters, err := c.HaircutMessages(t.Context(), &musterv1.HaircutMessagesRequest{Name: "autumn"})
		says(letters, err)
		effects, err := c.CompareHaircuts(t.Context(), &musterv1.CompareHaircutsRequest{Buffers: []*musterv1.Buffer{ask.GetBuffer()}})
		says(effects, err)
		ready, err := c.ClusterReady(t.Context(), &musterv1.ClusterReadyRequest{Cluster: "tiger"})
		says(ready, err)
		shadow, err := c.ShadowDecisions(t.Context(), &musterv1.ShadowDecisionsRequest{Cluster: "tiger"})
		says(shadow, err)
		for _, format := range []string{"csv", "xlsx"} {
			sheet, err := c.ExportHaircut(t.Context(), &musterv1.ExportHaircutRequest{Name: "autumn", Format: format})
			must(t, err)
			all.WriteString(unpacked(t, sheet.GetContent()))
		}
		return all.String()
	}
	told := answers(eveToken)
	for _, hidden := range []string{"falcon", "kestrel"} {
		if strings.Contains(told, hidden) {
			t.Errorf("eve is told of %s: …%s…", hidden, around(told, hidden))
		}
	}
	for _, shown := range []string{"another team's work", "research/oak"} {
		if !strings.Contains(told, shown) {
			t.Errorf("eve is not told of %q", shown)
		}
	}
	bind("eve", "manager", &musterv1.Scope{Quota: "research/oak"})
	for who, token := range map[string]string{"the operator": opsToken, "a manager of the quota": eveToken} {
		if told := answers(token); !strings.Contains(told, "kestrel/falcon-runs") {
			t.Errorf("%s is not told of the work that a plan touches", who)
		}
	}
}

// unpacked is what stands in a sheet: in all parts of a workbook, or in a CSV.
func unpacked(t *testing.T, data []byte) string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return string(data)
	}
	var all strings.Builder
	for _, f := range archive.File {
		r, err := f.Open()
		must(t, err)
		part, err := io.ReadAll(r)
		must(t, err)
		all.Write(part)
	}
	return all.String()
}
