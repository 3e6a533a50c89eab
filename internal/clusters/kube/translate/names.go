package translate

import "strings"

// at stands between a name and its cluster, where names of several clusters could
// be taken for each other. No object of Kubernetes has it in its name.
const at = "@"

// Called is what Muster calls a node or a namespace of the cluster: by its own
// name, or where Distinct is said, with the cluster's behind it, as in oak@tiger.
// A name that has an @ already is none that Kubernetes gives, and "" stays "".
func (o *Options) Called(name string) string {
	if !o.Distinct || name == "" {
		return name
	}
	return name + at + o.Cluster
}

// Bare is the name by which the cluster itself calls what Muster calls so.
func Bare(name string) string {
	bare, _, _ := strings.Cut(name, at)
	return bare
}

// Of says whether a node or a namespace is called by a name with this cluster's behind it.
func Of(cluster, name string) bool { return strings.HasSuffix(name, at+cluster) }

// longest is the longest name that Muster takes.
const longest = 253

// strange says whether an object's name could be taken for one of another cluster,
// or is too long to be called so.
func (o *Options) strange(name string) bool {
	return strings.Contains(name, at) || len(o.Called(name)) > longest
}
