// Package events is the page of what happened; other pages show the events that concern
// them.
package events
