package event

// The words by which records are packed. Logs that people have on disk depend on these lists: they never
// change. Other words need another first byte, and lists of their own beside these.

// often are words that take a byte.
var often = [...]string{
	`{"seq":`, `,"at":`, `,"actor":"driver","events":[{"kind":"`, `,"actor":"muster","events":[{"kind":"`,
	`,"actor":"user:`, `,"actor":"operator:`, `,"actor":"`, `","reason":"`,
	`","key":"user:`, `","key":"`, ` at-`, `","fp":`,
	`,"events":[{"kind":"`, `","events":[{"kind":"`, `"}},{"kind":"`, `}},{"kind":"`,
	`]}]}},{"kind":"`, `}]}},{"kind":"`, `"}}]}`, `]}]}}]}`,
	`}]}}]}`, `}}]}`, `]}}]}`, `","v":1,"data":{"id":`,
	`","v":1,"data":{"partition":"`, `","v":1,"data":{"`, `","v":2,"data":{"`, `","v":3,"data":{"`,
	`workload.submitted","v":1,"data":{"id":`, `workload.cancelled","v":1,"data":{"id":`, `workload.finished","v":1,"data":{"id":`, `workload.retargeted","v":1,"data":{"id":`,
	`workload.prioritised","v":1,"data":{"id":`, `workload.resized","v":1,"data":{"id":`, `replicas.placed","v":1,"data":{"id":`, `replicas.started","v":1,"data":{"id":`,
	`replicas.evicted","v":1,"data":{"id":`, `replicas.stopped","v":1,"data":{"id":`, `replicas.lost","v":1,"data":{"id":`, `replicas.observed","v":1,"data":{"id":`,
	`replicas.overdue","v":1,"data":{"id":`, `gang.returned","v":2,"data":{"id":`, `reservation.ended","v":1,"data":{"id":`, `holds.changed","v":1,"data":{"id":`,
	`signals.taken","v":1,"data":{`, `usage.measured","v":1,"data":{`, `node.changed","v":3,"data":{"partition":"`, `backing.aligned","v":1,"data":{"partition":"`,
	`,"spots":[{"pool":`, `","spots":[{"pool":`, `},{"pool":`, `,"nodes":[`,
	`],"order":`, `]}],"until":`, `]}],"holds":`, `]}],"for":`,
	`,"class":"importance"`, `,"class":"`, `,"for":`, `,"until":`,
	`,"holds":`, `,"reserved":true`, `,"order":`, `,"id":`,
	`,"partition":"`, `","partition":"`, `,"spec":{"name":"`, `","namespace":"`,
	`","user":"`, `","target":"flex","priority":"`, `","target":"`, `","priority":"low","pools":[{"name":"`,
	`","priority":"mid","pools":[{"name":"`, `","priority":"high","pools":[{"name":"`, `","priority":"`, `,"pools":[{"name":"`,
	`","gpus":`, `,"gpus":`, `,"min":`, `,"max":`,
	`,"elastic":true`, `,"reach":"island"}]`, `,"reach":"any"}]`, `,"reach":"rack"}]`,
	`,"reach":"`, `,"maxRuntime":`, `,"checkpointEvery":`, `,"grace":30000000000}}`,
	`,"grace":`, `","node":"`, `","to":"`, `","from":"`,
	`","signal":"`, `","quota":"`, `","cluster":"`, `","name":"`,
	`"name":"`, `"quota":"`, `"node":"`, `"cluster":"`,
	`"partition":"`, `"kind":"`, `":true`, `":false`,
	`":null`, `":{"`, `":[{"`, `":["`,
	`":[`, `":"`, `","`, `":`,
	`},{"`, `"},{"`, `"}]`, `"}`,
	`}}`, `"]`, `,"`, `000000000`,
}

// seldom are words that take two bytes.
var seldom = [...]string{
	`cluster.added","v":1,"data":{`, `partition.added","v":1,"data":{`, `island.added","v":1,"data":{`, `nodes.added","v":1,"data":{`, `node.changed","v":2,"data":{`,
	`node.changed","v":1,"data":{`, `server.started","v":1,"data":{`, `reports.stopped","v":1,"data":{`, `reports.resumed","v":1,"data":{`, `policy.set","v":1,"data":{`,
	`buffer.set","v":1,"data":{`, `targets.set","v":1,"data":{`, `incident.opened","v":3,"data":{`, `incident.closed","v":1,"data":{`, `incident.updated","v":1,"data":{`,
	`quota.created","v":1,"data":{`, `quota.deleted","v":1,"data":{`, `quota.owned","v":1,"data":{`, `access.set","v":1,"data":{`, `grant.set","v":1,"data":{`,
	`grant.transferred","v":1,"data":{`, `hold.placed","v":2,"data":{`, `hold.ended","v":1,"data":{`, `cluster.mode-set","v":1,"data":{`, `haircut.planned","v":1,"data":{`,
	`haircut.reviewed","v":1,"data":{`, `haircut.told","v":1,"data":{`, `haircut.applied","v":1,"data":{`, `haircut.undone","v":1,"data":{`, `request.made","v":1,"data":{`,
	`request.offered","v":1,"data":{`, `request.ended","v":1,"data":{`, `subscription.set","v":1,"data":{`, `subscription.ended","v":1,"data":{`, `workload.adopted","v":1,"data":{`,
	`workload.agreed","v":1,"data":{`, `workload.paused","v":1,"data":{`, `workload.resumed","v":1,"data":{`, `protection.cut","v":1,"data":{`, `warning.acknowledged","v":1,"data":{`,
	`health.policy.set","v":1,"data":{`, `breaker.tripped","v":1,"data":{`, `breaker.reset","v":1,"data":{`, `partition.halted","v":1,"data":{`, `burst.accused","v":1,"data":{`,
	`burst.judged","v":1,"data":{`, `burst.over","v":1,"data":{`, `node.owned","v":1,"data":{`, `node.validated","v":1,"data":{`, `node.leaving","v":1,"data":{`,
	`node.observed","v":1,"data":{`, `failure.explained","v":1,"data":{`, `role.granted","v":1,"data":{`, `role.revoked","v":1,"data":{`, `token.made","v":1,"data":{`,
	`token.revoked","v":1,"data":{`, `update.set","v":1,"data":{`, `rollout.set","v":1,"data":{`, `zone.set","v":1,"data":{`, `notice.set","v":1,"data":{`,
	`configuration.judged","v":1,"data":{`, `visit.moved","v":1,"data":{`, `blueprint.added","v":1,"data":{`, `cluster.planned","v":1,"data":{`, `cluster.checked-in","v":1,"data":{`,
	`cluster.touched","v":1,"data":{`, `cluster.turned","v":1,"data":{`, `condition.changed","v":1,"data":{`, `cores.reserved","v":1,"data":{`, `cores.released","v":1,"data":{`,
	`cloud.counted","v":1,"data":{`, `operation.intended","v":1,"data":{`, `operation.reported","v":1,"data":{`, `evidence.seen","v":1,"data":{`,
	`quarantined`, `maintenance`, `probation`, `suspect`, `healthy`, `importance`, `interrupted`, `operator:`, `driver`, `muster`,
}
