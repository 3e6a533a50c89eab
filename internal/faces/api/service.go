package api

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// service is what the services share. Each of them is one more name for it.
type service struct {
	engine    Engine
	log       *slog.Logger
	version   string
	notifier  Notifier
	said      func(namespace, name, target string) []string
	logs      func(operation string) (string, bool, error)
	checkedIn func(context.Context, fleet.ClusterRecord) (string, error)
	now       func() time.Time
	notices   func() []Notice
	lag       func() (time.Duration, bool) // see Options
	leader    func() string
	started   time.Time
	// stopping is closed when the server ends, so that streams end too.
	stopping chan struct{}
	history  history
	stories  storyIndex
	recent   recentEvents
	ends     rolloutEnds
	refused  refusedSubmissions
	audit    AuditLog // nil: nothing is noted
	tokens   *ServiceTokens
	book     Past
	turns    *turns
	// forecasting is how long one forecast may take.
	forecasting time.Duration
	signIns     signIns
	signIn      bool // people sign in; else all of them are the user of this server
	mostWaiting int  // workloads of one caller that does not run the fleet
	waiting     struct {
		sync.Mutex
		of map[string]*pending // by user
	}
	// policy is held from reading the policy in force to writing it changed.
	policy sync.Mutex
}

// The services of proto/muster/v1, each with its methods in files service_*.go.
type (
	accessService       struct{ *service }
	buildoutService     struct{ *service }
	capacityService     struct{ *service }
	comingService       struct{ *service }
	eventService        struct{ *service }
	fleetService        struct{ *service }
	haircutService      struct{ *service }
	healthService       struct{ *service }
	maintenanceService  struct{ *service }
	pastService         struct{ *service }
	promiseService      struct{ *service }
	quotaService        struct{ *service }
	requestService      struct{ *service }
	seriesService       struct{ *service }
	subscriptionService struct{ *service }
	systemService       struct{ *service }
	workloadService     struct{ *service }
)
