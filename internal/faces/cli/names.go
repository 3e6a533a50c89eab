package cli

import (
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// naming is the flag that says which namespace a name belongs to.
type naming struct{ namespace string }

func (n *naming) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&n.namespace, "namespace", "n", "", "the team or person it belongs to ($MUSTER_NAMESPACE, else your user name)")
}

// home is the namespace in force.
func (n *naming) home(a *app) string {
	if n.namespace != "" {
		return n.namespace
	}
	return a.getenv("MUSTER_NAMESPACE", a.User)
}

// job reads the name of a workload: NAME, or NAMESPACE/NAME.
func (n *naming) job(a *app, text string) (namespace, name string, err error) {
	namespace, name, both := strings.Cut(text, "/")
	if !both {
		namespace, name = n.home(a), text
	}
	if namespace == "" || name == "" || strings.Contains(name, "/") {
		return "", "", usage("%.80q is no name of a workload; write NAME, or NAMESPACE/NAME", text)
	}
	return namespace, name, nil
}

// nameOf is a workload's name with its namespace.
func nameOf(w *musterv1.Workload) string {
	return w.GetSpec().GetNamespace() + "/" + w.GetSpec().GetName()
}
