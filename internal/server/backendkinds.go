package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/server/datafolder"
)

// backendKind is one kind of what carries decisions out: reconcilers of Kubernetes clusters, or a driver. The data
// folder of its fleet bears its mark, so that no other kind ever carries that fleet out.
type backendKind struct {
	asked  func(o upOptions) bool            // the options ask for it
	make   func(s *server) (*backend, error) // what carries this server's decisions out
	mark   func(o upOptions) string          // one line, other than those of all other kinds; "" is the simulation's alone
	owns   func(mark string) bool            // a folder with this mark is of this kind
	goOn   func(mark string) string          // what such a folder holds, and how people go on with it
	adopts func(mark string) bool            // a folder of another kind that may become one of this kind; nil: none
}

// simulationMark is the mark of a simulated fleet's folder: none, as such folders never had one.
const simulationMark = ""

// backendKinds lists the kinds, and the first one that is asked for is taken. A new driver has its
// row before the last, with a mark such as "driver NAME": no cluster's name has a space. CONTRIBUTING.md has its other steps.
func backendKinds() []backendKind {
	return []backendKind{
		{
			asked: func(o upOptions) bool { return o.Agents != "" || len(o.Clusters) > 0 },
			make:  (*server).multiClusterBackend,
			mark:  func(upOptions) string { return multiClusterMark },
			owns:  func(mark string) bool { return mark == multiClusterMark },
			goOn: func(string) string {
				return "holds the fleet of real clusters; start it with --agents or --clusters"
			},
			adopts: oneCluster,
		},
		{
			asked: func(o upOptions) bool { return o.Join != nil },
			make:  (*server).singleClusterBackend,
			mark:  func(o upOptions) string { return o.Join.Name },
			owns:  oneCluster,
			goOn: func(mark string) string {
				return fmt.Sprintf("holds the fleet of cluster %s; muster join --name %s goes on with it", mark, mark)
			},
		},
		{
			asked: func(upOptions) bool { return true },
			make:  func(s *server) (*backend, error) { return newSimulated(s.folder.Demo, s.log), nil },
			mark:  func(upOptions) string { return simulationMark },
			owns:  func(mark string) bool { return mark == simulationMark },
			goOn:  func(string) string { return "holds another fleet, which is simulated; muster up goes on with it" },
		},
	}
}

// oneCluster says whether a mark is the name of one joined cluster.
func oneCluster(mark string) bool { return mark != "" && !strings.Contains(mark, " ") }

// backendKindOf is the kind that a server is started with.
func backendKindOf(o upOptions, list []backendKind) backendKind {
	for _, c := range list {
		if c.asked(o) {
			return c
		}
	}
	panic("server: the simulation is asked for by all options")
}

// settleBackendKind sees to it that a fleet is carried out by the same cluster, or the same kind
// of clusters, for as long as it lives. used says that the journal has records.
func settleBackendKind(f *datafolder.Folder, o upOptions, list []backendKind, used bool) error {
	data, err := os.ReadFile(f.File(datafolder.ClusterMark))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	was, c := strings.TrimSpace(string(data)), backendKindOf(o, list)
	is := c.mark(o)
	fresh := was == simulationMark && !used
	switch {
	case is == was:
		return nil
	case !fresh && (c.adopts == nil || !c.adopts(was)):
		return cli.Malformed(fmt.Errorf("data folder %s %s, or name another folder with --data", f.Path, goesOn(was, list)))
	}
	if err := os.WriteFile(f.File(datafolder.ClusterMark), []byte(is+"\n"), datafolder.PrivateFile); err != nil {
		return datafolder.Unwritable(f.Path, err)
	}
	return nil
}

// goesOn says what a folder with this mark holds, and how people go on with it.
func goesOn(mark string, list []backendKind) string {
	for _, c := range list {
		if c.owns(mark) {
			return c.goOn(mark)
		}
	}
	return fmt.Sprintf("holds a fleet that %.80q carries out, which this version does not know; start it as it was started before", mark)
}

// settle sees to it that a demo runs on a demo's folder only, and only a demo
// does: its load must never meet a real fleet. used says that the journal has records.
func settle(f *datafolder.Folder, o upOptions, used bool) error {
	if err := settleBackendKind(f, o, backendKinds(), used); err != nil {
		return err
	}
	switch {
	case !o.Demo && f.Demo != nil:
		return cli.Malformed(fmt.Errorf("data folder %s holds a demo's fleet; start it with --demo, or name another folder with --data", f.Path))
	case o.Demo && f.Demo == nil && used:
		return cli.Malformed(fmt.Errorf("data folder %s holds a fleet that is no demo's, and a demo would put its load on it; name another folder with --data", f.Path))
	case o.Demo && f.Demo == nil:
		return f.BeginDemo(o.Seed)
	}
	return nil
}
