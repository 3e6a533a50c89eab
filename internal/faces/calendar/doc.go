// Package calendar writes planned work as an iCalendar feed (RFC 5545), which calendars
// subscribe to: no-fly zones, announced maintenances and visits that are under way. Beside it
// stand the ends of grants and holds.
package calendar
