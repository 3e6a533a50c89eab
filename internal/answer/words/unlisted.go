package words

// Unlisted says what it means on a server that a quota has no access list. The zero value is that of
// a quota that has one.
type Unlisted struct {
	Mark  string // in a row of a table
	Brief string // after the quota's name
	Says  string // in whole sentences
}

// UnlistedOf is that of a quota as the API tells of it.
func UnlistedOf(q interface {
	GetOpen() bool
	GetClosed() bool
},
) Unlisted {
	switch {
	case q.GetOpen():
		return Unlisted{"open", "open to everyone", "A quota without an access list is open here: everybody may target it."}
	case q.GetClosed():
		return Unlisted{"closed", "closed: it has no access list", "A quota without an access list is closed where people sign in, as here. " +
			"Of them only those may target it who may set its list: with the role quota-owner, manager or admin."}
	}
	return Unlisted{}
}
