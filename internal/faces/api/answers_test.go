package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// vast is a house with 20,000 nodes in 200 islands, 500 quotas and 6,000 workloads with long names.
func vast(t *testing.T) *house {
	t.Helper()
	h := furnished(t)
	islands := &musterv1.AddIslandsRequest{Partition: "tiger/h200"}
	for i := range 200 {
		islands.Islands = append(islands.Islands, &musterv1.NewIsland{Name: fmt.Sprintf("vast%d", i), Nodes: 100})
	}
	_, err := h.Fleet.AddIslands(t.Context(), islands)
	must(t, err)
	quotas := &musterv1.ApplyRequest{Write: &musterv1.Write{Reason: "many teams"}}
	for i := range 500 {
		path := fmt.Sprintf("department-%d/a-team-with-a-long-name-%d", i%20, i)
		quotas.Changes = append(quotas.Changes,
			&musterv1.Change{Change: &musterv1.Change_CreateQuota{CreateQuota: &musterv1.CreateQuotaRequest{Path: path}}},
			&musterv1.Change{Change: &musterv1.Change_SetGrant{SetGrant: &musterv1.SetGrantRequest{Quota: path, Partition: "tiger/h200", Gpus: 8}}})
	}
	_, err = h.Fleet.Apply(t.Context(), quotas)
	must(t, err)
	m := &musterv1.SubmitBatchRequest{}
	for i := range 6000 {
		m.Specs = append(m.Specs, gang(fmt.Sprintf("%0200d", i), "research/oak", 1))
	}
	_, err = h.Workloads.SubmitBatch(t.Context(), m)
	must(t, err)
	return h
}

// everything is a question of a procedure that asks for as much as it may.
func everything(p protoreflect.MethodDescriptor) *dynamicpb.Message {
	m := dynamicpb.NewMessage(p.Input())
	for _, name := range []protoreflect.Name{"limit", "from"} {
		f := p.Input().Fields().ByName(name)
		switch {
		case f == nil:
		case f.Kind() == protoreflect.Int32Kind:
			m.Set(f, protoreflect.ValueOfInt32(10_000))
		case f.Kind() == protoreflect.Uint64Kind:
			m.Set(f, protoreflect.ValueOfUint64(1))
		}
	}
	for name, value := range map[protoreflect.Name]string{"path": "research/oak", "quota": "research/oak", "target": "research/oak", "partition": "tiger/h200", "cluster": "tiger"} {
		if f := p.Input().Fields().ByName(name); f != nil && f.Kind() == protoreflect.StringKind && !f.IsList() {
			m.Set(f, protoreflect.ValueOfString(value))
		}
	}
	return m
}

// No procedure answers with more than 1 MB, in either encoding, unless its caller takes a
// stream: all are asked about a large fleet, for as much as they give.
func TestNoAnswerIsLarge(t *testing.T) {
	h := vast(t)
	for _, p := range procedures() {
		if p.Name() == "Subscribe" || p.Name() == "TestSubscription" {
			continue // they reach out to other hosts
		}
		for _, question := range []*dynamicpb.Message{everything(p), dynamicpb.NewMessage(p.Input())} {
			body, err := proto.Marshal(question)
			must(t, err)
			path := "/" + string(p.Parent().FullName()) + "/" + string(p.Name())
			_, answer := h.sendRaw(path, "application/proto", "", body)
			if len(answer) > 1_000_000 {
				t.Errorf("%s is answered with %d bytes", path, len(answer))
			}
			if question.IsValid() && len(body) == 0 {
				if _, answer = h.sendRaw(path, "application/json", "", []byte("{}")); len(answer) > 1_000_000 {
					t.Errorf("%s is answered with %d bytes of JSON", path, len(answer))
				}
			}
		}
	}
}

// A list of the fleet that is larger comes as a stream to who takes one, as clients do.
func TestLargeListsAreStreamed(t *testing.T) {
	h := vast(t)
	nodes, err := h.Capacity.Nodes(t.Context(), &musterv1.NodesRequest{})
	must(t, err)
	equal(t, "nodes", len(nodes.GetNodes()), 20_016)
	body, err := proto.Marshal(&musterv1.NodesRequest{})
	must(t, err)
	status, answer := h.sendRaw("/muster.v1.CapacityService/Nodes", "application/proto", "", body)
	equal(t, "without the header", status, http.StatusTooManyRequests)
	if !bytes.Contains(answer, []byte("Muster-Large: stream")) {
		t.Errorf("what to do is not said: %s", answer)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.url+"/muster.v1.CapacityService/Nodes", bytes.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", "application/proto")
	r.Header.Set("Muster-Large", "stream")
	res, err := http.DefaultClient.Do(r)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	n, err := io.Copy(io.Discard, res.Body)
	must(t, err)
	if res.ContentLength >= 0 || n < 1<<20 {
		t.Errorf("it comes in one piece of %d bytes, %d were read", res.ContentLength, n)
	}
}
