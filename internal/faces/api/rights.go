package api

import (
	"cmp"
	"maps"

	m "github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
	"github.com/muster-fleet/muster/internal/decide/access"
)

// actions says which action of the table of the room access each RPC is. A new RPC is one
// row here; without it no role may call it, and TestEveryRPCHasARow is red. A row says who
// may come in at all: of a thing in a scope, the command or the answer judges.
var actions = map[string]access.Action{
	// The server, and who one is.
	m.SystemServiceStatusProcedure:    access.AskSelf,
	m.SystemServiceVersionProcedure:   access.AskSelf,
	m.SystemServiceStateHashProcedure: access.ReadFigures,

	// Figures.
	m.CapacityServiceCapacityProcedure:              access.ReadFigures,
	m.CapacityServiceFlexProcedure:                  access.ReadFigures,
	m.CapacityServiceFreeProcedure:                  access.ReadFigures,
	m.CapacityServiceUsableProcedure:                access.ReadFigures,
	m.CapacityServiceNodesProcedure:                 access.ReadFigures,
	m.ComingServiceComingProcedure:                  access.ReadFigures,
	m.FleetServiceGetFleetProcedure:                 access.ReadFigures,
	m.FleetServiceListIncidentsProcedure:            access.ReadFigures,
	m.HealthServiceHealthProcedure:                  access.ReadFigures,
	m.HealthServiceNodeHealthProcedure:              access.ReadFigures,
	m.HealthServiceLemonsProcedure:                  access.ReadFigures,
	m.HealthServiceListSignalsProcedure:             access.ReadFigures,
	m.PromiseServicePromisesProcedure:               access.ReadFigures,
	m.PromiseServiceBrokenProcedure:                 access.ReadFigures,
	m.QuotaServiceListQuotasProcedure:               access.ReadFigures,
	m.QuotaServiceGetQuotaProcedure:                 access.ReadFigures,
	m.QuotaServiceHistoryProcedure:                  access.ReadFigures,
	m.RequestServiceListRequestsProcedure:           access.ReadFigures,
	m.SubscriptionServiceListSubscriptionsProcedure: access.ReadFigures,
	m.PastServiceStandingProcedure:                  access.ReadFigures,
	m.PastServiceNodeHistoryProcedure:               access.ReadFigures,
	m.PastServiceRepairsProcedure:                   access.ReadFigures,
	m.PastServiceTargetsProcedure:                   access.ReadFigures,
	m.PastServiceWaitingProcedure:                   access.ReadFigures,
	m.PastServiceQuotaUseProcedure:                  access.ReadFigures,
	m.PastServiceFlexOutlookProcedure:               access.ReadFigures,
	m.SeriesServiceQuotaSeriesProcedure:             access.ReadFigures,
	m.SeriesServiceRepairCurvesProcedure:            access.ReadFigures,
	m.SeriesServiceFrontierProcedure:                access.ReadFigures,

	// Work, and what is decided about it.
	m.WorkloadServiceGetWorkloadProcedure:    access.ReadWork,
	m.WorkloadServiceListWorkloadsProcedure:  access.ReadWork,
	m.WorkloadServiceWhyProcedure:            access.ReadWork,
	m.WorkloadServiceWhenProcedure:           access.ReadWork,
	m.WorkloadServiceFitProcedure:            access.ReadFigures,
	m.EventServiceListEventsProcedure:        access.ReadEvents,
	m.EventServiceWatchProcedure:             access.ReadEvents,
	m.HaircutServiceClusterReadyProcedure:    access.ReadFigures,
	m.HaircutServiceListHaircutsProcedure:    access.ReadPlans,
	m.HaircutServiceGetHaircutProcedure:      access.ReadPlans,
	m.HaircutServiceDraftHaircutProcedure:    access.ReadPlans,
	m.HaircutServiceCompareHaircutsProcedure: access.ReadPlans,
	m.HaircutServiceHaircutMessagesProcedure: access.ReadPlans,
	m.HaircutServiceExportHaircutProcedure:   access.ReadPlans,
	m.HaircutServiceShadowDecisionsProcedure: access.ReadPlans,
	m.HaircutServiceShadowHistoryProcedure:   access.ReadPlans,

	m.WorkloadServiceSubmitProcedure:      access.SubmitWork,
	m.WorkloadServiceSubmitBatchProcedure: access.SubmitWork,
	m.WorkloadServiceCancelProcedure:      access.ChangeWork,
	m.WorkloadServiceRetargetProcedure:    access.ChangeWork,
	m.WorkloadServiceSetPriorityProcedure: access.ChangeWork,
	m.WorkloadServiceResizeProcedure:      access.ChangeWork,

	m.BuildoutServiceGetClusterLogProcedure: access.ReadLogs,

	// Quota.
	m.RequestServiceAskProcedure:           access.AskQuota,
	m.RequestServiceOfferProcedure:         access.OfferQuota,
	m.RequestServiceAnswerProcedure:        access.AnswerAccess,
	m.RequestServiceWithdrawProcedure:      access.CallBack,
	m.QuotaServiceCreateQuotaProcedure:     access.ManageQuota,
	m.QuotaServiceDeleteQuotaProcedure:     access.ManageQuota,
	m.QuotaServiceSetGrantProcedure:        access.ManageQuota,
	m.QuotaServiceSetOwnerProcedure:        access.ManageQuota,
	m.QuotaServiceTransferProcedure:        access.MoveQuota,
	m.QuotaServicePlaceHoldProcedure:       access.HoldInside,
	m.QuotaServiceReleaseHoldProcedure:     access.HoldInside,
	m.QuotaServiceSetAccessProcedure:       access.SetAccess,
	m.HaircutServicePlanHaircutProcedure:   access.CutQuota,
	m.HaircutServiceReviewHaircutProcedure: access.CutQuota,
	m.HaircutServiceTellHaircutProcedure:   access.CutQuota,
	m.HaircutServiceApplyHaircutProcedure:  access.CutQuota,
	m.HaircutServiceUndoHaircutProcedure:   access.CutQuota,
	m.HaircutServiceDeleteHaircutProcedure: access.CutQuota,

	// Nodes and clusters.
	m.FleetServiceAddClusterProcedure:          access.Build,
	m.FleetServiceAddPartitionProcedure:        access.Build,
	m.FleetServiceAddIslandsProcedure:          access.Build,
	m.FleetServiceSetPolicyProcedure:           access.SetPolicy,
	m.FleetServiceSetBufferProcedure:           access.SetPromise,
	m.FleetServiceSetTargetsProcedure:          access.SetPromise,
	m.FleetServiceSetNodesProcedure:            access.RunNodes,
	m.FleetServiceOpenIncidentProcedure:        access.RunIncidents,
	m.FleetServiceUpdateIncidentProcedure:      access.RunIncidents,
	m.FleetServiceCloseIncidentProcedure:       access.RunIncidents,
	m.FleetServiceApplyProcedure:               access.Pass,
	m.HaircutServiceSetClusterModeProcedure:    access.SetMode,
	m.HealthServiceSendSignalsProcedure:        access.SendSignals,
	m.HealthServiceRecordValidationProcedure:   access.Validate,
	m.HealthServiceReleaseNodesProcedure:       access.RunNodes,
	m.HealthServiceResetBreakerProcedure:       access.RunNodes,
	m.HealthServiceJudgeBurstProcedure:         access.RunNodes,
	m.SystemServiceAcknowledgeWarningProcedure: access.RunNodes,
	m.HealthServiceSetHealthPolicyProcedure:    access.SetHealth,
	m.HealthServiceMeasureUsageProcedure:       access.SendUsage,

	// Planned work on nodes.
	m.MaintenanceServiceGetMaintenanceProcedure: access.ReadFigures,
	m.MaintenanceServicePlannedWorkProcedure:    access.ReadFigures,
	m.MaintenanceServiceAddUpdateProcedure:      access.Maintain,
	m.MaintenanceServiceWithdrawUpdateProcedure: access.Maintain,
	m.MaintenanceServiceStartRolloutProcedure:   access.Maintain,
	m.MaintenanceServiceMoveRolloutProcedure:    access.Maintain,
	m.MaintenanceServiceAddZoneProcedure:        access.SetZone,
	m.MaintenanceServiceEndZoneProcedure:        access.SetZone,
	m.MaintenanceServiceAddNoticeProcedure:      access.Maintain,
	m.MaintenanceServiceCancelNoticeProcedure:   access.Maintain,
	m.MaintenanceServiceAgreeToStopProcedure:    access.ChangeWork,
	m.MaintenanceServiceReportVisitProcedure:    access.Maintain,

	// Clusters that are built.
	m.BuildoutServiceListClustersProcedure:   access.ReadFigures,
	m.BuildoutServiceGetClusterProcedure:     access.ReadFigures,
	m.BuildoutServiceListBlueprintsProcedure: access.ReadFigures,
	m.BuildoutServiceCloudQuotaProcedure:     access.ReadFigures,
	m.BuildoutServiceAddBlueprintProcedure:   access.Build,
	m.BuildoutServicePlanClusterProcedure:    access.Build,
	m.BuildoutServiceImportClustersProcedure: access.Build,
	m.BuildoutServiceChangeClusterProcedure:  access.Build,
	m.BuildoutServiceSteerClusterProcedure:   access.Build,

	// Webhooks.
	m.SubscriptionServiceSubscribeProcedure:        access.Subscribe,
	m.SubscriptionServiceUnsubscribeProcedure:      access.Subscribe,
	m.SubscriptionServiceTestSubscriptionProcedure: access.Subscribe,
	m.SubscriptionServiceGetSecretProcedure:        access.ReadSecrets,

	// Who may do what.
	m.AccessServiceGrantRoleProcedure:        access.BindRoles,
	m.AccessServiceRevokeRoleProcedure:       access.BindRoles,
	m.AccessServiceListRolesProcedure:        access.ReadBindings,
	m.AccessServiceBreakGlassProcedure:       access.BreakSeal,
	m.AccessServiceCreateTokenProcedure:      access.ManageToken,
	m.AccessServiceRotateTokenProcedure:      access.ManageToken,
	m.AccessServiceRevokeTokenProcedure:      access.ManageToken,
	m.AccessServiceListTokensProcedure:       access.ReadBindings,
	m.AccessServiceListSessionsProcedure:     access.ReadBindings,
	m.AccessServiceEndSessionsProcedure:      access.EndSession,
	m.AccessServiceListProposalsProcedure:    access.ReadPlans,
	m.AccessServiceAnswerProposalProcedure:   access.Second,
	m.AccessServiceWithdrawProposalProcedure: access.Second,
	m.AccessServiceListAuditProcedure:        access.ReadAudit,
	m.AccessServiceVerifyAuditProcedure:      access.ReadAudit,
}

// Actions says which action each RPC is, by the path of the RPC.
func Actions() map[string]access.Action { return maps.Clone(actions) }

// Asked says what an RPC asks for, in words for whom it is refused to.
func Asked(path string) string {
	rule, _ := access.RuleOf(actions[path])
	return cmp.Or(asks[path], rule.Means)
}

// asks says what some RPCs ask for, where the words for their action have more than that.
var asks = map[string]string{
	m.AccessServiceListProposalsProcedure:    "read proposals",
	m.HaircutServiceShadowDecisionsProcedure: "read shadow decisions",
	m.HaircutServiceShadowHistoryProcedure:   "read shadow decisions",
	m.HaircutServiceListHaircutsProcedure:    "read haircuts",
	m.HaircutServiceGetHaircutProcedure:      "read haircuts",
	m.HaircutServiceDraftHaircutProcedure:    "read haircuts",
	m.HaircutServiceCompareHaircutsProcedure: "read haircuts",
	m.HaircutServiceHaircutMessagesProcedure: "read haircuts",
	m.HaircutServiceExportHaircutProcedure:   "read haircuts",
}
