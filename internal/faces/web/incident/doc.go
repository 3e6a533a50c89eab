// Package incident is the list of incidents, the worst first, and the page of each: where,
// since when, whose, why it was opened, what was found out.
package incident
