package fleet

import "testing"

func TestACauseIsWhatWasSeenWithoutWhatDiffersFromCaseToCase(t *testing.T) {
	for signal, want := range map[string]string{
		"":                                    "",
		"XID 79":                              "XID 79",
		"XID 79: fell off the bus":            "XID 79",
		"XID 79 on GPU 3":                     "XID 79",
		"XIDErrors 79":                        "XID 79",
		"XIDErrors 79 (dcgm)":                 "XID 79",
		"XIDErrors 79 on GPU:3 (operator)":    "XID 79",
		"SysLogsXIDError 94 on GPU:0 (nvsen)": "XID 94",
		"XIDErrors 79,94 (dcgm)":              "XIDErrors 79,94",
		"over: XIDErrors 79 (dcgm)":           "XID 79",
		"IBLinkFlapping on port 3":            "IBLinkFlapping",
		"NVLinkStatusInactive (linkwatch)":    "NVLinkStatusInactive",
		"GPUMissing":                          "GPUMissing",
	} {
		if got := OutageCause(signal); got != want {
			t.Errorf("%q: cause %q, want %q", signal, got, want)
		}
	}
}
