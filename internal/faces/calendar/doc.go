// Package calendar writes planned work as an iCalendar feed (RFC 5545), which calendars
// subscribe to: no-fly zones, announced maintenances and visits that are under way.
package calendar
