// Package maintenance is the page of planned work on nodes: rollouts and what they wait for,
// visits that are under way, no-fly zones with what they cost, announced maintenances, and
// how far nodes are behind.
package maintenance
