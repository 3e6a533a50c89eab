// Command muster is server, CLI, agent and simulator in one binary. Its parts
// are put together in internal/server.
package main

import (
	"os"

	"github.com/muster-fleet/muster/internal/server"
)

func main() { os.Exit(server.Main()) }
