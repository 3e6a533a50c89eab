package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// peer is a scheduler whose programs others have built: its modules are not on the Go module
// proxy. In the folder of its name are its programs, its custom resource definitions as
// crds/*.yaml, and the file version.
type peer struct {
	folder   string
	programs []string
}

// lacks says which of its programs are not there.
func (p peer) lacks(o options) error {
	for _, name := range p.programs {
		if _, err := os.Stat(filepath.Join(o.peers, p.folder, name)); err != nil {
			return fmt.Errorf("its module is not on the Go module proxy, and no program %s is in %s", name, filepath.Join(o.peers, p.folder))
		}
	}
	return nil
}

func (p peer) version(o options) string {
	data, _ := os.ReadFile(filepath.Join(o.peers, p.folder, "version"))
	return strings.TrimSpace(string(data))
}

// part is how a program of a peer is called on a control plane.
func (p peer) part(program string) string { return p.folder + "-" + program }

func (p peer) parts() (list []string) {
	for _, program := range p.programs {
		list = append(list, p.part(program))
	}
	return list
}

// run starts a program of the peer.
func (p peer) run(b *bed, program string, arguments ...string) error {
	return b.c.Run(p.part(program), filepath.Join(b.o.peers, p.folder, program), arguments, "KUBECONFIG="+b.c.Kubeconfig)
}

// kinds makes its kinds of objects known, and waits until they are served.
func (p peer) kinds(ctx context.Context, b *bed, lists ...string) error {
	files, err := filepath.Glob(filepath.Join(b.o.peers, p.folder, "crds", "*.yaml"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no custom resource definitions in %s", filepath.Join(b.o.peers, p.folder, "crds"))
	}
	if err != nil {
		return err
	}
	return b.c.MakeKinds(ctx, files, lists)
}
