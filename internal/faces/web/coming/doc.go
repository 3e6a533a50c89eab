// Package coming is what is known to change: nodes that return, holds and work that
// end, haircuts and incidents under way. Other pages show the part of it that concerns
// them.
package coming
