package server

import (
	"os"
	"testing"
	"time"

	azfake "github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestMain makes this test binary be muster too: scripts and the kill test run
// it as processes of their own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"muster": func() {
		if file := os.Getenv(clockEnv); file != "" {
			machineClock = wrongClock(file)
		}
		elsewhere.buildkite = os.Getenv(buildkiteEnv)
		if at := os.Getenv(azureEnv); at != "" {
			elsewhere.who, elsewhere.azure = &azfake.TokenCredential{}, azureAt(at)
		}
		os.Exit(Main())
	}})
}

// clockEnv names a file with the duration by which the process's clock is wrong.
const clockEnv = "MUSTER_TEST_CLOCK"

func wrongClock(file string) func() fleet.Instant {
	return func() fleet.Instant {
		text, _ := os.ReadFile(file)
		by, _ := time.ParseDuration(string(text)) // 0 where there is none
		return fleet.InstantOf(time.Now().Add(by))
	}
}
