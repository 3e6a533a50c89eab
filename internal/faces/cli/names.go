package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// naming is the flag that says which namespace a name belongs to.
type naming struct{ namespace string }

func (n *naming) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&n.namespace, "namespace", "n", "", "the team or person it belongs to ($MUSTER_NAMESPACE, else the name you signed in with, or your user name)")
}

// home is the namespace in force.
func (n *naming) home(a *app) string {
	if n.namespace != "" {
		return n.namespace
	}
	if named := a.Getenv("MUSTER_NAMESPACE"); named != "" {
		return named
	}
	return a.ownName()
}

// ownName is the user that the caller acts as: the one that --as names, the one whose
// token it is, else the operating system's.
func (a *app) ownName() string {
	if a.as != "" {
		return a.as
	}
	if a.tokenInForce() == "" {
		return a.User
	}
	ctx, end := a.within(context.Background())
	defer end()
	user, err := a.signedIn(ctx)
	if err != nil { // the command itself says what is wrong with the server
		return a.User
	}
	return user
}

// signedIn is the user that the server takes the caller for.
func (a *app) signedIn(ctx context.Context) (string, error) {
	is, err := a.client().System.Status(ctx, &musterv1.StatusRequest{})
	if err != nil {
		return "", err
	}
	actor := is.GetActor() // user:ada, operator:root, operator:root for user:ada
	return actor[strings.LastIndex(actor, ":")+1:], nil
}

// job reads the name of a workload: NAME, or NAMESPACE/NAME.
func (n *naming) job(a *app, text string) (namespace, name string, err error) {
	namespace, name, both := strings.Cut(text, "/")
	if !both {
		namespace, name = n.home(a), text
	}
	if strings.Contains(name, "/") {
		return "", "", usage("%.80q has too many parts for the name of a workload; write NAME, or NAMESPACE/NAME (muster quota show shows a quota)", text)
	}
	if namespace == "" || name == "" {
		return "", "", usage("%.80q is no name of a workload; write NAME, or NAMESPACE/NAME", text)
	}
	return namespace, name, nil
}

// nameOf is a workload's name with its namespace.
func nameOf(w *musterv1.Workload) string {
	return w.GetSpec().GetNamespace() + "/" + w.GetSpec().GetName()
}
