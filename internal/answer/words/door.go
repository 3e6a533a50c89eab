package words

// Door says what it means on a server that a quota has no access list. The zero value is that of
// a quota that has one.
type Door struct {
	Mark  string // in a row of a table
	Brief string // after the quota's name
	Says  string // in whole sentences
}

// DoorOf is the door of a quota as the API tells of it.
func DoorOf(q interface {
	GetOpen() bool
	GetClosed() bool
}) Door {
	switch {
	case q.GetOpen():
		return Door{"open", "open to everyone", "A quota without an access list is open here: everybody may target it."}
	case q.GetClosed():
		return Door{"closed", "closed: it has no access list", "A quota without an access list is closed where people sign in, as here. " +
			"Of them only those may target it who may set its list: with the role quota-owner, manager or admin."}
	}
	return Door{}
}
