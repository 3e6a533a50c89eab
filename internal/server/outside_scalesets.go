package server

import (
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/pflag"
	"k8s.io/client-go/dynamic"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/scalesets"
)

// scaleSetOptions are those of what makes scale sets by Azure Service Operator.
type scaleSetOptions struct {
	Templates           string // folder; "": none are made
	Kubeconfig, Context string // of the management cluster
}

func scaleSetFlags(f *pflag.FlagSet, o *scaleSetOptions) {
	f.StringVar(&o.Templates, "scale-sets", "", "folder of manifests of scale sets (BLUEPRINT.yaml, a VirtualMachineScaleSet of Azure Service Operator); none: no scale set is made")
	f.StringVar(&o.Kubeconfig, "scale-sets-kubeconfig", "", "kubeconfig of the cluster in which Azure Service Operator runs; none: the one that this server runs in")
	f.StringVar(&o.Context, "scale-sets-context", "", "context of that kubeconfig; none: its current one")
}

// open is what makes scale sets; nil: it is not set up. It writes only while that may be.
func (o *scaleSetOptions) open(may func(*http.Request) error) (*scalesets.ScaleSets, error) {
	if o.Templates == "" {
		return nil, nil
	}
	if is, err := os.Stat(o.Templates); err != nil || !is.IsDir() {
		return nil, fmt.Errorf("--scale-sets: %s is no folder", o.Templates)
	}
	config, err := kube.ConfigOf(o.Kubeconfig, o.Context)
	if err != nil {
		return nil, fmt.Errorf("--scale-sets: %w", err)
	}
	config.UserAgent = "muster"
	config.Wrap(func(way http.RoundTripper) http.RoundTripper { return kube.Stays(kube.While(way, may)) })
	api, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("--scale-sets: %w", err)
	}
	return &scalesets.ScaleSets{API: api, Templates: o.Templates}, nil
}

func isScaleSets(o provision.Outside) bool {
	_, is := o.(*scalesets.ScaleSets)
	return is
}
