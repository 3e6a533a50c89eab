package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// trustFile has the servers to which a person lets tokens go although a cluster names them;
// "" where nothing says where that is.
func trustFile(getenv func(string) string) string {
	dir := LocalDir(getenv)
	if dir == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(dir), "trusted")
}

// mostTrusted bounds that file, in bytes.
const mostTrusted = 1 << 20

// TrustedServers are the servers that a person said tokens may go to: those of muster trust,
// and of MUSTER_TRUST.
func TrustedServers(getenv func(string) string) []string {
	list := strings.FieldsFunc(getenv("MUSTER_TRUST"), func(r rune) bool { return r == ',' || r == ' ' })
	if info, err := os.Stat(trustFile(getenv)); err != nil || info.Size() > mostTrusted || info.Mode().Perm()&0o022 != 0 {
		return list // a file that others can write says nothing
	}
	text, err := os.ReadFile(trustFile(getenv))
	if err != nil {
		return list
	}
	return append(list, strings.Fields(string(text))...)
}

// trustOptions are those of `muster trust`.
type trustOptions struct {
	*app
	forget bool
}

func newTrust(a *app) *cobra.Command {
	o := &trustOptions{app: a}
	cmd := &cobra.Command{
		Use:   "trust [ADDRESS…]",
		Short: "trust a server that a cluster names, so that your token is sent there; without an address, list those",
		Long: `A cluster that kubectl muster asks may say where its Muster server is. Your token is sent there only if
you named that address: with --server, or once with muster trust. A cluster that was taken over would
gather tokens otherwise. The address is written as the cluster writes it; the refusal shows it.`,
		Example: "  muster trust https://muster.example.com\n  muster trust --forget https://muster.example.com",
		Args:    needs(0, 20, "the addresses of servers, or nothing"),
		RunE: func(_ *cobra.Command, args []string) error {
			return o.run(args)
		},
	}
	cmd.Flags().BoolVar(&o.forget, "forget", false, "do not trust it any more")
	return cmd
}

func (o *trustOptions) run(args []string) error {
	list := TrustedServers(o.Getenv)
	slices.Sort(list)
	list = slices.Compact(list)
	if len(args) == 0 {
		t := newTable("No server is trusted beyond those that you name yourself.", column{head: "SERVER", name: true})
		for _, one := range list {
			t.add(one)
		}
		return o.print(o.Out, answer{value: list, table: t})
	}
	for _, at := range args {
		if at == "" || len(at) > 2000 || strings.ContainsAny(at, " ,\t\r\n") {
			return usage("%.40q is no address; write it as the cluster names it: https://HOST or HOST:PORT", at)
		}
	}
	list = slices.DeleteFunc(list, func(one string) bool { return slices.Contains(args, one) })
	said := "no token goes to %s any more because a cluster names it\n"
	if !o.forget {
		list, said = append(list, args...), "tokens may go to %s where a cluster names it\n"
	}
	if err := writeTrusted(trustFile(o.Getenv), list); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.Out, said, strings.Join(args, " "))
	return err
}

// writeTrusted writes the list as its owner's file alone, whole or not at all.
func writeTrusted(path string, list []string) error {
	if path == "" {
		return usage("neither XDG_STATE_HOME nor HOME says where to keep it")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if len(list) == 0 {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // where it has its name already this does nothing
	_, err = f.WriteString(strings.Join(list, "\n") + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
