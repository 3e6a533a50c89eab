package kubetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"

	"github.com/muster-fleet/muster/internal/prove/testmodule"
)

// Question is a cluster about which kube-scheduler's filter plugins are asked.
type Question struct {
	Nodes []*corev1.Node `json:"nodes"`
	Pods  []*corev1.Pod  `json:"pods"` // that stand on the nodes
	Asks  []*corev1.Pod  `json:"asks"` // of which each asks for itself, as if the others were not there
}

// Verdicts say by pod that asks, and by node, why the node does not suit it, in the words of
// the filter plugin that refuses it; "": it does.
type Verdicts [][]string

// Judge asks kube-scheduler's filter plugins, in the order of the questions. They are in a
// program that is built once, from the module of the control plane.
func Judge(ctx context.Context, questions []Question) (answers []Verdicts, err error) {
	file, err := judgeBinary(ctx)
	if err != nil {
		return nil, err
	}
	var in, out, said bytes.Buffer
	for _, q := range questions {
		if err := json.NewEncoder(&in).Encode(q); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("kubetest: the judge: %w: %s", err, said.Bytes())
	}
	for from := json.NewDecoder(&out); ; {
		var v Verdicts
		if err := from.Decode(&v); errors.Is(err, io.EOF) {
			return answers, nil
		} else if err != nil {
			return nil, err
		}
		answers = append(answers, v)
	}
}

// judgeBinary is the program that asks the plugins. It is another for every version of its source.
func judgeBinary(ctx context.Context) (string, error) {
	if os.Getenv(Wanted) == "0" {
		return "", ErrUnwanted
	}
	module, err := testmodule.Dir(controlPlane)
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(filepath.Join(module, "judge", "main.go"))
	if err != nil {
		return "", err
	}
	dir, err := cached("controlplane", "", module)
	if err != nil {
		return "", err
	}
	key := sha256.Sum256(source)
	file := filepath.Join(dir, fmt.Sprintf("judge-%x", key[:6]))
	return kept{"kube-scheduler's filters", "./judge", module, file, Wanted, ErrAbsent}.get(ctx)
}
