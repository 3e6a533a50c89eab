// Package sharedfiles keeps small files of several servers' data folders alike by their database: what
// moves with leadership and is not in the log. That is the webhooks' key and how far each webhook is,
// who may speak for which cluster, and whose fleet this is. A file that changes in one data folder
// changes in all.
//
// Sync does it once, Keep every second. PassedOn is for a command that has changed a data folder while
// its server runs.
package sharedfiles
