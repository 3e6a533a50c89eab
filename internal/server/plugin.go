package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/faces/cli"
)

// pluginName is the name under which this program is kubectl muster.
const pluginName = "kubectl-muster"

// plugin runs a command line of kubectl muster: the same commands, of which those
// about work mean the namespace of the current context, and take a pod for the
// workload that it is of.
func plugin(ctx context.Context, env *cli.Env, args []string) int {
	klog.SetOutput(env.Err)
	p, rest := pluginOf(env, args)
	line, err := p.line(ctx, rest)
	if err != nil {
		_, _ = fmt.Fprintln(env.Err, "kubectl muster: "+err.Error())
		return 1
	}
	return command(ctx, env, line)
}

// isPlugin says whether this program was started as kubectl's plugin.
func isPlugin(name string) bool {
	return strings.TrimSuffix(filepath.Base(name), ".exe") == pluginName
}

// asked is what kubectl's own flags say.
type asked struct {
	env                            *cli.Env
	kubeconfig, context, namespace string
	server, token, cluster         string
}

// pluginOf takes kubectl's flags out of a command line, and looks at those that
// say where the server is.
func pluginOf(env *cli.Env, args []string) (p asked, rest []string) {
	p = asked{env: env, server: env.Getenv("MUSTER_SERVER"), token: env.Getenv("MUSTER_TOKEN"), cluster: env.Getenv("MUSTER_CLUSTER")}
	flags := map[string]*string{"--kubeconfig": &p.kubeconfig, "--context": &p.context, "--namespace": &p.namespace, "-n": &p.namespace, "--server": &p.server, "--token": &p.token, "--cluster": &p.cluster}
	for i := 0; i < len(args); i++ {
		name, value, both := strings.Cut(args[i], "=")
		into, known := flags[name]
		switch {
		case args[i] == "--":
			return p, append(rest, args[i:]...)
		case !known:
			rest = append(rest, args[i])
		case both:
			*into = value
		case i+1 < len(args):
			i++
			*into = args[i]
		default:
			rest = append(rest, args[i]) // its value is missing, which is said where it is read
		}
	}
	return p, rest
}

// homely are the commands about work, to which a namespace can be told.
var homely = []string{"why", "when", "fit", "free", "submit"}

// line is the command line of muster that is meant.
func (p *asked) line(ctx context.Context, rest []string) ([]string, error) {
	at := slices.IndexFunc(rest, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if at < 0 {
		return rest, nil // help, or the version
	}
	c, err := kube.Connect(p.kubeconfig, p.context)
	if err != nil {
		return nil, err
	}
	if err := p.find(ctx, c); err != nil {
		return nil, err
	}
	if p.namespace == "" {
		p.namespace = kube.NamespaceOf(p.kubeconfig, p.context)
	}
	verb, words := rest[at], slices.Clone(rest)
	switch {
	case (verb == "why" || verb == "when") && len(words) > at+1:
		for i := at + 1; i < len(words); i++ {
			if !strings.HasPrefix(words[i], "-") {
				if words[i], err = p.workload(ctx, c, words[i]); err != nil {
					return nil, err
				}
				break
			}
		}
	case slices.Contains(homely, verb):
		words = append(words, "--namespace", p.home(ctx))
	}
	if p.server != "" {
		words = append(words, "--server", p.server)
	}
	if p.token != "" {
		words = append(words, "--token", p.token)
	}
	return words, nil
}

// find finds out what was not given: how the cluster is called, and how the server is reached.
func (p *asked) find(ctx context.Context, c *kube.Client) error {
	cluster, server, service := c.Signpost(ctx)
	if p.server == "" && server != "" {
		if err := p.trusts(server); err != nil {
			return err
		}
	}
	p.cluster, p.server = cmp.Or(p.cluster, cluster), cmp.Or(p.server, server)
	if p.server != "" || service == "" {
		return nil
	}
	address, way, err := kube.ServiceTransport(p.kubeconfig, p.context, service)
	if err != nil {
		return err
	}
	if err := p.trusts(address); err != nil { // its ConfigMap named that service, and its API server reads what goes there
		return err
	}
	p.server, p.env.HTTP = address, &http.Client{Transport: way}
	return nil
}

// trusts refuses to send a token where only the cluster says that the server is: a cluster
// that was taken over would gather tokens so.
func (p *asked) trusts(server string) error {
	named := strings.FieldsFunc(server, func(r rune) bool { return r == ',' || r == ' ' })
	trusted := cli.TrustedServers(p.env.Getenv)
	if p.token == "" || !slices.ContainsFunc(named, func(one string) bool { return !slices.Contains(trusted, one) }) {
		return nil
	}
	return cli.Malformed(fmt.Errorf("the cluster says that the server is %.200q, and your token would be sent there; if that is your server, say so once: muster trust %.200s; or name it yourself with --server", server, strings.Join(named, " ")))
}

// workload is what Muster calls the workload that a word means: of a pod, as POD or
// pod/POD, else the workload of that name; with its namespace, if none was said.
func (p *asked) workload(ctx context.Context, c *kube.Client, word string) (string, error) {
	kind, name, both := strings.Cut(word, "/")
	switch {
	case both && kind != "pod" && kind != "pods" && kind != "po":
		return word, nil // NAMESPACE/NAME, as Muster calls it
	case !both:
		name = word
	}
	of, ok, err := c.WorkloadOf(ctx, p.namespace, name)
	switch {
	case apierrors.IsForbidden(err) && !both: // who may not see pods can still name a workload
	case err != nil:
		return "", err
	case !ok && both:
		return "", fmt.Errorf("there is no pod %s in namespace %s that asks for GPUs", name, p.namespace)
	case ok:
		name = of
	}
	return p.home(ctx) + "/" + name, nil
}

// home is the namespace in which the server knows work of this cluster: with the
// cluster's name, where its nodes have it too.
func (p *asked) home(ctx context.Context) string {
	if p.cluster == "" {
		return p.namespace
	}
	c := client.New(client.Options{Address: p.server, Token: p.token, HTTPClient: p.env.HTTP, PlainHTTP: cli.PlainHTTP(p.env.Getenv)})
	is, err := c.Capacity.Nodes(ctx, &musterv1.NodesRequest{Scope: p.cluster})
	if err != nil || len(is.GetNodes()) == 0 || !translate.Of(p.cluster, is.GetNodes()[0].GetName()) {
		return p.namespace // if the server does not answer, the command itself says so
	}
	return p.namespace + "@" + p.cluster
}
