package kubetest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
)

// TestStaysUp starts a control plane with MUSTER_CONTROLPLANE_NODES nodes and keeps
// it until it is interrupted, for trying things by hand: make controlplane-up.
func TestStaysUp(t *testing.T) {
	nodes, err := strconv.Atoi(os.Getenv("MUSTER_CONTROLPLANE_NODES"))
	if err != nil {
		t.Skip("make controlplane-up runs it")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	bin, err := Binaries(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c, err := start(ctx, bin, nil, nil) // it lasts, so it takes no turn
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	var list []JSON
	for i := range nodes {
		island := fmt.Sprintf("island-%02d", i/50)
		list = append(list, Node(fmt.Sprintf("node-%05d", i), "NVIDIA-H200", island, fmt.Sprintf("%s-r%d", island, i%50/10)))
	}
	if err := c.CreateAll(ctx, "/api/v1/nodes", list); err != nil {
		t.Fatal(err)
	}
	fmt.Printf("export KUBECONFIG=%s\n", c.Kubeconfig)
	<-ctx.Done()
}
