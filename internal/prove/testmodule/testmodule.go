// Package testmodule finds the modules below the clone's folder test, of which programs for tests
// are built. They are modules of their own, so that no user ever builds them.
package testmodule

import (
	"fmt"
	"os"
	"path/filepath"
)

// Dir is the folder of a module, sought from the working folder upwards: "provider" is test/provider.
func Dir(name string) (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		dir := filepath.Join(at, "test", filepath.FromSlash(name))
		if _, err := os.Stat(filepath.Join(dir, "go.sum")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(at)
		if up == at {
			return "", fmt.Errorf("testmodule: no folder above this one has test/%s", name)
		}
		at = up
	}
}
