package event

import (
	"encoding/json"
	"fmt"
	"sort"
)

// reader reads one version of one kind of event as the event of today.
type reader func(json.RawMessage) (Event, error)

func as[E Event](data json.RawMessage) (Event, error) {
	var e E
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, err
	}
	return e, nil
}

// readers holds every version ever written, by kind: index 0 is version 1. A
// changed event gets a new version at the end, and its old reader upgrades.
var readers = map[string][]reader{
	"cluster.added":        {as[ClusterAdded]},
	"partition.added":      {as[PartitionAdded]},
	"island.added":         {as[IslandAdded]},
	"nodes.added":          {as[NodesAdded]},
	"node.changed":         {as[NodeChanged], as[NodeChanged], as[NodeChanged]},
	"server.started":       {as[ServerStarted]},
	"reports.stopped":      {as[ReportsStopped]},
	"reports.resumed":      {as[ReportsResumed]},
	"policy.set":           {as[PolicySet], as[PolicySet], as[PolicySet]},
	"buffer.cleared":       {as[BufferCleared]},
	"buffer.set":           {as[BufferSet]},
	"targets.set":          {as[TargetsSet]},
	"incident.opened":      {as[IncidentOpened], as[IncidentOpened], as[IncidentOpened]},
	"incident.closed":      {as[IncidentClosed]},
	"quota.created":        {as[QuotaCreated]},
	"quota.deleted":        {as[QuotaDeleted]},
	"access.set":           {as[AccessSet]},
	"grant.set":            {as[GrantSet], as[GrantSet], as[GrantSet]},
	"grant.ending":         {as[GrantEnding]},
	"grant.ended":          {as[GrantEnded]},
	"grant.transferred":    {as[GrantTransferred]},
	"hold.placed":          {as[HoldPlaced], as[HoldPlaced], as[HoldPlaced]},
	"hold.ended":           {as[HoldEnded]},
	"backing.aligned":      {as[BackingAligned]},
	"cluster.mode-set":     {as[ClusterModeSet]},
	"quota.owned":          {as[QuotaOwned]},
	"haircut.planned":      {as[HaircutPlanned], as[HaircutPlanned], as[HaircutPlanned], as[HaircutPlanned], as[HaircutPlanned]},
	"haircut.deleted":      {as[HaircutDeleted]},
	"haircut.reviewed":     {as[HaircutReviewed]},
	"haircut.told":         {as[HaircutTold], as[HaircutTold]},
	"haircut.applied":      {as[HaircutApplied], as[HaircutApplied]},
	"haircut.undone":       {as[HaircutUndone]},
	"request.made":         {as[RequestMade], as[RequestMade]},
	"request.offered":      {as[RequestOffered]},
	"request.ended":        {as[RequestEnded]},
	"subscription.set":     {as[SubscriptionSet], as[SubscriptionSet]},
	"subscription.ended":   {as[SubscriptionEnded]},
	"workload.submitted":   {as[WorkloadSubmitted], as[WorkloadSubmitted], as[WorkloadSubmitted], as[WorkloadSubmitted]},
	"workload.cancelled":   {as[WorkloadCancelled]},
	"workload.finished":    {as[WorkloadFinished]},
	"workload.retargeted":  {as[WorkloadRetargeted]},
	"workload.prioritised": {as[WorkloadPrioritised]},
	"workload.resized":     {as[WorkloadResized]},
	"workload.adopted":     {as[WorkloadAdopted], as[WorkloadAdopted]},
	"replicas.placed":      {as[ReplicasPlaced]},
	"replicas.started":     {as[ReplicasStarted]},
	"replicas.evicted":     {as[ReplicasEvicted]},
	"gang.returned":        {as[GangReturned], as[GangReturned]},
	"replicas.stopped":     {as[ReplicasStopped]},
	"replicas.overdue":     {as[ReplicasOverdue]},
	"replicas.observed":    {as[ReplicasObserved]},
	"replicas.lost":        {as[ReplicasLost]},
	"replicas.unfit":       {as[ReplicasUnfit]},
	"fit.observed":         {fitObserved1, as[FitObserved]},
	"reservation.ended":    {as[ReservationEnded]},
	"holds.changed":        {as[HoldsChanged]},
	"protection.cut":       {as[ProtectionCut]},
	"warning.acknowledged": {as[WarningAcknowledged]},
	"usage.measured":       {as[UsageMeasured]},
	"signals.taken":        {as[SignalsTaken]},
	"health.policy.set":    {as[HealthPolicySet]},
	"breaker.tripped":      {as[BreakerTripped]},
	"breaker.reset":        {as[BreakerReset]},
	"partition.halted":     {as[PartitionHalted]},
	"burst.accused":        {as[BurstAccused]},
	"burst.judged":         {as[BurstJudged]},
	"burst.over":           {as[BurstOver]},
	"node.owned":           {as[NodeOwned]},
	"node.validated":       {as[NodeValidated]},
	"failure.explained":    {as[FailureExplained]},
	"incident.updated":     {as[IncidentUpdated]},
	"role.granted":         {as[RoleGranted]},
	"role.revoked":         {as[RoleRevoked]},
	"token.made":           {as[TokenMade]},
	"token.revoked":        {as[TokenRevoked]},
	"sessions.ended":       {as[SessionsEnded]},
	"proposal.made":        {as[ProposalMade]},
	"proposal.ended":       {as[ProposalEnded]},
	"update.set":           {as[UpdateSet], as[UpdateSet]},
	"rollout.set":          {as[RolloutSet], as[RolloutSet]},
	"zone.set":             {as[ZoneSet]},
	"notice.set":           {as[NoticeSet], as[NoticeSet]},
	"configuration.judged": {as[ConfigurationJudged]},
	"visit.moved":          {as[VisitMoved], as[VisitMoved], as[VisitMoved]},
	"node.leaving":         {as[NodeLeaving]},
	"node.observed":        {as[NodeObserved]},
	"workload.agreed":      {as[WorkloadAgreed]},
	"workload.paused":      {as[WorkloadPaused], as[WorkloadPaused]},
	"workload.resumed":     {as[WorkloadResumed]},
	"blueprint.added":      {as[BlueprintAdded]},
	"cluster.planned":      {as[ClusterPlanned]},
	"cluster.replanned":    {as[ClusterReplanned]},
	"cluster.checked-in":   {as[ClusterCheckedIn]},
	"cluster.touched":      {as[ClusterTouched]},
	"cluster.turned":       {as[LifeTurned]},
	"condition.changed":    {as[ConditionChanged]},
	"cores.reserved":       {as[CoresReserved]},
	"cores.released":       {as[CoresReleased]},
	"cloud.counted":        {as[CloudCounted], as[CloudCounted]},
	"outside.confirmed":    {as[OutsideConfirmed]},
	"operation.intended":   {as[OperationIntended]},
	"operation.reported":   {as[OperationReported]},
	"evidence.seen":        {as[EvidenceSeen]},
}

var latest = func() map[string]int {
	m := make(map[string]int, len(readers))
	for kind, versions := range readers {
		m[kind] = len(versions)
	}
	return m
}()

func read(kind string, version int, data json.RawMessage) (Event, error) {
	versions := readers[kind]
	switch {
	case versions == nil:
		return nil, fmt.Errorf("unknown event %q: this log was written by a newer Muster; use that version or later", kind)
	case version < 1 || version > len(versions):
		return nil, fmt.Errorf("event %q has version %d, known are 1 to %d: use a newer Muster", kind, version, len(versions))
	}
	e, err := versions[version-1](data)
	if err != nil {
		return nil, fmt.Errorf("event %q: %w", kind, err)
	}
	return e, nil
}

// Kinds lists the stable names of all events, in order.
func Kinds() []string {
	kinds := make([]string, 0, len(readers))
	for k := range readers {
		kinds = append(kinds, k)
	}
	sort.Strings(kinds)
	return kinds
}

// Parse reads an event of today's version, as the API hands it out.
func Parse(kind string, data []byte) (Event, error) { return read(kind, latest[kind], data) }
