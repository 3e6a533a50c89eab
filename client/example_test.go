package client_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Submit a gang of four whole nodes, and say why if it is refused.
func Example() {
	c := client.New(client.Options{Address: "127.0.0.1:6878"})
	answer, err := c.Workloads.Submit(context.Background(), &musterv1.SubmitRequest{
		Write: &musterv1.Write{Reason: "first try"},
		Spec: &musterv1.WorkloadSpec{
			Name:      "base",
			Namespace: "oak",
			Target:    "research/posttraining",
			Priority:  "high",
			Pools:     []*musterv1.Pool{{Name: "trainer", Gpus: 8, Replicas: 4}},
		},
	})
	var no *client.Refusal
	switch {
	case errors.As(err, &no):
		fmt.Println("refused:", no.Code, no.Figures)
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Println("workload", answer.GetId(), "at version", answer.GetWritten().GetVersion())
	}
}
