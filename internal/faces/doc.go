// Package faces is the floor of what people and programs see. It has no code of its own.
//
//	api ──── the services, on one port          web ──── the pages, clients of the API in process
//	wire ─── messages to nouns, and back
//	signin   people of the pages sign in at a provider, and stay so for a session
//	cli      the verbs, clients over the wire   metrics  figures, dashboards, alerts
//	draw, picture, sheet, calendar              what both draw and hand out
package faces
