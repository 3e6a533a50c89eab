package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/spf13/pflag"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/azurequota"
	"github.com/muster-fleet/muster/internal/run/provision/buildkite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// outsideOptions are those of what builds clusters of real providers. Tokens are files.
type outsideOptions struct {
	CheckinRepository, CheckinBranch, CheckinToken string
	BuildkiteToken, BuildkiteWebhook               string
	Azure                                          bool // its quota is counted
	Tofu                                           tofuOptions
	ScaleSets                                      scaleSetOptions
	standIns                                       standIns
}

// standIns take the place of services outside in tests.
type standIns struct {
	buildkite string                 // address of its API; "": where Buildkite says
	who       azcore.TokenCredential // to Azure; nil: as azurequota.Identity says
	azure     policy.Transporter     // instead of the network; nil: none does
}

// elsewhere takes their place in tests whose server is a process of its own.
var elsewhere standIns

// identity is who asks Azure.
func (o *outsideOptions) identity() (azcore.TokenCredential, error) {
	if who := cmp.Or(o.standIns.who, elsewhere.who); who != nil {
		return who, nil
	}
	who, err := azurequota.Identity()
	if err != nil {
		return nil, fmt.Errorf("--azure: %w", err)
	}
	return who, nil
}

func outsideFlags(f *pflag.FlagSet, o *outsideOptions) {
	f.StringVar(&o.CheckinRepository, "checkin-repository", "", "git repository where clusters that are built are checked in: a URL, or a folder")
	f.StringVar(&o.CheckinBranch, "checkin-branch", "main", "branch of that repository on which a check-in counts")
	f.StringVar(&o.CheckinToken, "checkin-token", "", "file of the token for that repository, over HTTPS")
	f.StringVar(&o.BuildkiteToken, "buildkite-token", "", "file of an API access token of Buildkite (read_builds, write_builds), for blueprints with the runner buildkite:ORG/PIPELINE")
	f.StringVar(&o.BuildkiteWebhook, "buildkite-webhook", "", "file of the token of a webhook of Buildkite, which posts signed to "+buildkiteHook+"; none: builds are only asked for")
	f.BoolVar(&o.Azure, "azure", false, "count cloud quota of Azure, and ask for more where blueprints say requestQuota, as the workload's identity, that of the environment (AZURE_CLIENT_ID, ...), or the machine's")
	tofuFlags(f, &o.Tofu)
	scaleSetFlags(f, &o.ScaleSets)
}

// adapters are what carries out the steps of real clusters: an adapter for each step that
// one is set up for, and what takes their secrets out of texts.
func (o *outsideOptions) adapters() (provision.BySteps, func(string) string, error) {
	checkin, token, err := o.tokens()
	if err != nil {
		return nil, nil, err
	}
	by := provision.BySteps{}
	if o.CheckinRepository != "" {
		by[fleet.StepCheckin] = o.checkin(checkin)
	}
	if token != "" {
		pipeline := &buildkite.Pipeline{Token: token, Address: cmp.Or(o.standIns.buildkite, elsewhere.buildkite), HTTP: &http.Client{Timeout: time.Minute}}
		by[fleet.StepPipeline], by[fleet.StepProjects] = pipeline, buildkite.Projects{Pipeline: pipeline}
	}
	if o.Azure {
		if by[fleet.StepQuota], err = o.requests(); err != nil {
			return nil, nil, err
		}
	}
	mask, err := o.mask(checkin, token)
	return by, mask, err
}

// tokens reads the tokens of the check-in and of Buildkite.
func (o *outsideOptions) tokens() (checkin, pipeline string, err error) {
	if checkin, err = secretFile("--checkin-token", o.CheckinToken); err != nil {
		return "", "", err
	}
	pipeline, err = secretFile("--buildkite-token", o.BuildkiteToken)
	return checkin, pipeline, err
}

// azure is what carries calls to Azure; nil: the network does.
func (o *outsideOptions) azure() policy.Transporter {
	return cmp.Or(o.standIns.azure, elsewhere.azure)
}

// cloudSecrets are the variables in which the environment hands secrets to the SDK of Azure.
var cloudSecrets = []string{"AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PASSWORD", "AZURE_PASSWORD"}

// masked takes secrets of adapters out of a text.
func (o *outsideOptions) masked(text string) (string, error) {
	checkin, token, err := o.tokens()
	if err != nil {
		return "", err
	}
	mask, err := o.mask(checkin, token)
	if err != nil {
		return "", err
	}
	return mask(text), nil
}

// mask takes out of texts every secret that an adapter is handed.
func (o *outsideOptions) mask(checkin, token string) (func(string) string, error) {
	projects, err := secretFile("--tofu-token", o.Tofu.Token)
	hook, wrong := secretFile("--buildkite-webhook", o.BuildkiteWebhook)
	secrets := slices.Concat([]string{token, hook}, provision.GitPlaceOf(o.CheckinRepository, checkin).Secrets, provision.GitPlaceOf(o.Tofu.Projects, projects).Secrets)
	for _, name := range cloudSecrets {
		secrets = append(secrets, os.Getenv(name))
	}
	return provision.Masker(secrets...), errors.Join(err, wrong)
}

// buildkiteHook is where Buildkite posts its webhooks.
const buildkiteHook = "/hooks/buildkite"

// hooks take what services outside post by themselves, by path.
func (s *server) hooks() (map[string]http.Handler, error) {
	secret, err := secretFile("--buildkite-webhook", s.Outside.BuildkiteWebhook)
	if err != nil || secret == "" {
		return nil, err
	}
	return map[string]http.Handler{buildkiteHook: &buildkite.Hook{Secret: secret, Nudge: s.nudge}}, nil
}

// nudge lets an operation be looked at now; false: this server builds no clusters at the moment.
func (s *server) nudge(operation string) bool {
	builder := s.builder.Load()
	if builder != nil {
		builder.Nudge(operation)
	}
	return builder != nil
}

// requests are what asks Azure for more quota.
func (o *outsideOptions) requests() (provision.Outside, error) {
	who, err := o.identity()
	if err != nil {
		return nil, err
	}
	return azurequota.NewRequests(who, o.azure(), time.Now)
}

// metered lets the steps that build machines of Azure begin only where the blueprint's meters count
// them: no runner is left out.
func (o *outsideOptions) metered(azure provision.Outside) (provision.Outside, error) {
	if !o.Azure {
		return azure, nil
	}
	who, err := o.identity()
	if err != nil {
		return nil, err
	}
	return azurequota.Metered{Outside: azure, SKUs: azurequota.NewSKUs(who, o.azure(), time.Now)}, nil
}

// clouds are what counts quota of real clouds, by provider.
func (o *outsideOptions) clouds() (map[string]provision.Cloud, error) {
	by := map[string]provision.Cloud{}
	if o.Azure {
		who, err := o.identity()
		if err != nil {
			return nil, err
		}
		by["azure"] = azurequota.New(who, o.azure())
	}
	return by, nil
}

// secretFile reads a secret; "": there is no file.
func secretFile(option, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", option, err)
	}
	secret := strings.TrimSpace(string(data))
	if secret == "" {
		return "", fmt.Errorf("%s: %s is empty", option, file)
	}
	return secret, nil
}
