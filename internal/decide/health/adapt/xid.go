package adapt

// Severity is what an XID says of the part that reports it.
type Severity string

// The severities.
const (
	Fatal       Severity = "fatal"       // the GPU, or the node with it, cannot serve until a person acts
	Warning     Severity = "warning"     // it serves, and should be watched
	Application Severity = "application" // usually the program's own mistake
	Note        Severity = "note"        // what followed from another error, or was mended by itself
)

// XID is an error code of NVIDIA's driver.
type XID struct {
	Code     int
	Meaning  string
	Severity Severity
	Action   string // as NVSentinel words recommended actions
	Source   string
}

// Where the table's rows come from.
const (
	catalog = "NVIDIA, Xid Errors: Xid Catalog (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html)"
	guide   = "NVIDIA, GPU Debug Guidelines (docs.nvidia.com/deploy/gpu-debug-guidelines)"
	memory  = "NVIDIA, GPU Memory Error Management (docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt)"
)

// XIDs is the table, in order of code. The severities are Muster's reading of the
// sources' actions for data centre GPUs (A100 and later); a policy may see it otherwise.
var XIDs = []XID{
	{8, "GPU stopped processing: a channel timed out", Application, "RESTART_APP", catalog},
	{13, "graphics engine exception, mostly an illegal access of the program", Application, "RESTART_APP", guide},
	{31, "memory page fault, mostly an illegal address of the program", Application, "RESTART_APP", guide},
	{32, "invalid or corrupted push buffer", Warning, "RESTART_APP", catalog},
	{38, "driver firmware error", Warning, "CONTACT_SUPPORT", catalog},
	{43, "GPU stopped processing: the program's channel was reset", Application, "RESTART_APP", guide},
	{44, "graphics engine fault during a context switch", Warning, "RESTART_APP", catalog},
	{45, "the program was cleaned up after an earlier error", Note, "RESTART_APP", guide},
	{46, "GPU stopped processing", Fatal, "COMPONENT_RESET", catalog},
	{48, "double bit error in memory", Fatal, "COMPONENT_RESET", memory},
	{61, "internal micro-controller breakpoint", Warning, "COMPONENT_RESET", catalog},
	{62, "internal micro-controller halted", Fatal, "COMPONENT_RESET", catalog},
	{63, "a memory row will be remapped at the next reset", Note, "NONE", memory},
	{64, "a memory row could not be remapped", Fatal, "COMPONENT_RESET", memory},
	{66, "illegal access by the driver", Application, "RESTART_APP", catalog},
	{68, "video decoder exception", Warning, "RESTART_APP", catalog},
	{69, "graphics engine class error", Application, "RESTART_APP", catalog},
	{74, "NVLink error", Warning, "COMPONENT_RESET", guide},
	{79, "the GPU has fallen off the bus", Fatal, "RESTART_BM", guide},
	{92, "many single bit errors in memory", Fatal, "RUN_FIELDDIAG", catalog},
	{94, "memory error, contained: the program on it is lost, others are not", Warning, "RESTART_APP", memory},
	{95, "memory error, not contained", Fatal, "COMPONENT_RESET", memory},
	{109, "a context switch timed out", Fatal, "COMPONENT_RESET", catalog},
	{110, "security fault", Warning, "CONTACT_SUPPORT", catalog},
	{119, "the GPU's system processor does not answer", Fatal, "COMPONENT_RESET", guide},
	{120, "error in the GPU's system processor", Fatal, "COMPONENT_RESET", guide},
	{121, "error on the link between processor and GPU, corrected", Warning, "NONE", catalog},
	{122, "the GPU's SPI power management does not answer", Warning, "CONTACT_SUPPORT", catalog},
	{123, "the GPU's power management does not answer", Warning, "COMPONENT_RESET", catalog},
	{137, "NVLink: access without privilege", Application, "RESTART_APP", catalog},
	{140, "error in memory, not recovered", Fatal, "COMPONENT_RESET", memory},
	{143, "the GPU could not be initialised", Fatal, "COMPONENT_RESET", catalog},
	{144, "NVLink: SAW error", Warning, "COMPONENT_RESET", catalog},
	{145, "NVLink: RLW error", Warning, "COMPONENT_RESET", catalog},
	{146, "NVLink: TLW error", Warning, "COMPONENT_RESET", catalog},
	{147, "NVLink: TREX error", Warning, "COMPONENT_RESET", catalog},
	{148, "NVLink: NVLPW control error", Warning, "COMPONENT_RESET", catalog},
	{149, "NVLink: NETIR error", Warning, "COMPONENT_RESET", catalog},
	{150, "NVLink: MSE error", Warning, "COMPONENT_RESET", catalog},
	{154, "the GPU needs an action to recover", Fatal, "COMPONENT_RESET", catalog},
}

// XIDOf finds a code in the table.
func XIDOf(code int) (XID, bool) {
	for _, x := range XIDs {
		if x.Code == code {
			return x, true
		}
	}
	return XID{}, false
}
