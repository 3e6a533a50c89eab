package promise

// letInNewGangs backs declared gangs anew where no running work has to give up
// its cover for it; the others wait (rule 4). All together, if that does, else
// one after the other in their order.
func (al *aligner) letInNewGangs() {
	if !al.anyoneWaits() {
		return
	}
	hope := al.hope()
	al.keepsCover()
	if !hope {
		return
	}
	al.asking = true
	al.letIn(true)
	if !al.keepsCover() {
		al.letIn(false)
		for al.letInEach() {
		}
		al.keepsCover()
	}
	al.place()
}

// hope finds the waiting gangs that some island would take if no other declared
// gang stood there, and says whether there is any.
func (al *aligner) hope() bool {
	var waiting []int
	for _, k := range al.declared {
		if !al.rows[k].backed {
			waiting = append(waiting, k)
		}
	}
	al.onlyRunning()
	found := false
	for _, k := range waiting {
		al.rows[k].hopeless = al.bestFor(k).Missing > 0
		found = found || !al.rows[k].hopeless
	}
	return found
}

func (al *aligner) anyoneWaits() bool {
	for _, k := range al.declared {
		if !al.rows[k].backed {
			return true
		}
	}
	return false
}

func (al *aligner) letIn(all bool) {
	for _, k := range al.declared {
		al.rows[k].letIn = all && !al.rows[k].hopeless
	}
}

// keepsCover backs gangs and shares the rest, and says whether all cover can stay so.
func (al *aligner) keepsCover() bool {
	al.backGangs()
	al.shareTheRest()
	return al.lacks() == 0
}

// letInEach asks the waiting gangs one after the other, and lets in those that
// cost no work its cover. It says whether there was one: then others may follow.
func (al *aligner) letInEach() bool {
	found := false
	al.keepsCover()
	for _, k := range al.declared {
		r := &al.rows[k]
		if r.backed || r.letIn || r.hopeless {
			continue
		}
		r.letIn = true
		if al.keepsCover() && r.backed {
			found = true
			continue
		}
		r.letIn = false
		al.keepsCover()
	}
	return found
}

// sayWhatIsMissing finds the best island for every declared gang that is not
// backed, and what it lacks there, from the backing that is now decided.
func (al *aligner) sayWhatIsMissing() {
	if !al.anyoneWaits() {
		return
	}
	al.keepsCover()
	var waiting []int
	for _, k := range al.declared {
		if !al.rows[k].backed {
			waiting = append(waiting, k)
		}
	}
	missing := make([]Gang, len(waiting))
	for x, k := range waiting {
		missing[x] = al.bestFor(k)
	}
	for x, k := range waiting {
		if missing[x].Missing <= 0 {
			missing[x].Missing = max(1, al.costs(k)) * al.p.GPUsPerNode
		}
	}
	for x, k := range waiting {
		al.rows[k].gang = missing[x]
	}
}

// bestFor is the island that lacks least for an account's declared gang, and what it lacks.
func (al *aligner) bestFor(k int) Gang {
	best, lacks := -1, 0
	al.eachChoice(k, func(i int) {
		if l := al.lackIn(k, i); best < 0 || l < lacks || l == lacks && i < best {
			best, lacks = i, l
		}
	})
	return Gang{Missing: lacks * al.p.GPUsPerNode, Island: max(0, best)}
}

// costs is on how many nodes others would lose their cover if an account's
// declared gang, for which some island has room, were backed there.
func (al *aligner) costs(k int) int {
	al.rows[k].letIn = true
	al.keepsCover()
	lacks := al.lacks()
	al.rows[k].letIn = false
	al.keepsCover()
	return lacks
}
