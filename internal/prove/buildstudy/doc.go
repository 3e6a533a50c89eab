// Package buildstudy measures how clusters come to be: 200 records over 12 subscriptions and
// 20 regions, with quota that arrives at random over 90 days of virtual time. Decisions and
// runner are those of a server. Beside it stand the same clusters with people who look every
// working day at 10:00 and do the next step then.
//
// Read study.go (one run), world.go (what is drawn), today.go (people who look once a
// day), then table.go and picture.go.
package buildstudy
