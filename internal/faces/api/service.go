package api

import (
	"log/slog"
	"sync"
	"time"
)

// service is what the services share. Each of them is one more name for it.
type service struct {
	engine   Engine
	log      *slog.Logger
	version  string
	notifier Notifier
	said     func(namespace, name, target string) []string
	now      func() time.Time
	notices  func() []Notice
	lag      func() (time.Duration, bool) // see Options
	leader   func() string
	started  time.Time
	// stopping is closed when the server ends, so that streams end too.
	stopping chan struct{}
	history  history
	stories  storyIndex
	recent   recentEvents
	refused  refusedSubmissions
	audit    AuditLog // nil: nothing is noted
	tokens   *ServiceTokens
	book     Past
	turns    *turns
	present  present
	waiting  struct {
		sync.Mutex
		of map[string]*pending // by user
	}
	// policy is held from reading the policy in force to writing it changed.
	policy sync.Mutex
}

type (
	fleetService    struct{ *service }
	quotaService    struct{ *service }
	workloadService struct{ *service }
	capacityService struct{ *service }
	eventService    struct{ *service }
	systemService   struct{ *service }
	pastService     struct{ *service }

	accessService       struct{ *service }
	subscriptionService struct{ *service }
	requestService      struct{ *service }
	maintenanceService  struct{ *service }
)
