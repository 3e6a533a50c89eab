// Package team is the list of quotas and the page of each: its grants, what backs them,
// who uses them, and who changed them.
package team
