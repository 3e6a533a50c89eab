// Package memory keeps a journal in memory: for tests, scenarios and
// simulations. It keeps every promise of package journal except surviving the
// process.
//
// One log may have several handles: Reopen gives another one, as a second
// process would have on a file. That is how tests play a second writer.
package memory
