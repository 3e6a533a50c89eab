package kube

import (
	"strings"

	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
)

// object is one of Kubernetes' objects, or a part of one.
type object = plain.Object

// peopleOf are those on a cluster of a story who are not Muster: who makes nodes and
// pods there, and does what their programs do. A kubeconfig and a context in it name them.
func peopleOf(file, in string) (*plain.Server, error) {
	config, err := configOf(file, in)
	if err != nil {
		return nil, err
	}
	to, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &plain.Server{URL: strings.TrimSuffix(to.String(), "/"), HTTP: client}, nil
}
