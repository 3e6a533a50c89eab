// Package wholefile replaces files whole or not at all: after a crash or a full
// disk a file holds all of its old content or all of its new. Alone lets one process
// at a time read such a file and replace it.
package wholefile
