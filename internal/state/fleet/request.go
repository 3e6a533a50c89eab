package fleet

import "slices"

// RequestState is where a quota request stands.
type RequestState string

// The states of a request. All but RequestOpen are final.
const (
	RequestOpen      RequestState = "open"
	RequestGranted   RequestState = "granted"
	RequestDeclined  RequestState = "declined"
	RequestWithdrawn RequestState = "withdrawn"
)

// QuotaRequest is a person's wish for more quota, or to be let into one, kept
// with what came of it. It is about GPUs, or about access, never both.
type QuotaRequest struct {
	ID        uint64       `json:"id"`
	Quota     string       `json:"quota"`
	Partition string       `json:"partition,omitempty"` // where GPUs are wanted
	GPUs      int          `json:"gpus,omitempty"`      // more than the quota has, in whole nodes
	Until     Instant      `json:"until,omitempty"`     // when they end by themselves; 0: never
	Access    *Access      `json:"access,omitempty"`    // who shall be let in
	By        string       `json:"by"`                  // who asks, as the log shows it
	User      string       `json:"user,omitempty"`
	At        Instant      `json:"at"`
	Reason    string       `json:"reason,omitempty"`
	State     RequestState `json:"state"`
	Offers    []Offer      `json:"offers,omitempty"` // what other quotas' owners agreed to give

	RequestAnswer
}

// RequestAnswer says who answered a request, when and why.
type RequestAnswer struct {
	Answered   Instant `json:"answered,omitempty"`
	AnsweredBy string  `json:"answeredBy,omitempty"`
	Answer     string  `json:"answer,omitempty"` // why so
}

// Offer is what a quota's owner agrees to give for a request.
type Offer struct {
	From string  `json:"from"`
	GPUs int     `json:"gpus"`
	By   string  `json:"by"`
	At   Instant `json:"at"`
}

// Offered is how many GPUs of the request others agreed to give.
func (r *QuotaRequest) Offered() int {
	sum := 0
	for _, o := range r.Offers {
		sum += o.GPUs
	}
	return sum
}

// RequestMemory is how many ended requests stay in the state; older ones are in the log.
const RequestMemory = 1000

// Request finds a request by its number, or nil.
func (s *State) Request(id uint64) *QuotaRequest {
	for _, r := range s.Requests {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// AddRequest adds a request.
func (s *State) AddRequest(r QuotaRequest) {
	s.Requests = append(s.Requests, &r)
	s.LastRequest = max(s.LastRequest, r.ID)
}

// EndRequest writes down what came of a request, and forgets the oldest of those
// that have ended, where there are too many.
func (s *State) EndRequest(id uint64, state RequestState, by, answer string, at Instant) {
	r := s.Request(id)
	r.State, r.AnsweredBy, r.Answer, r.Answered = state, by, answer, at
	ended := 0
	for _, r := range s.Requests {
		if r.State != RequestOpen {
			ended++
		}
	}
	if ended > RequestMemory {
		oldest := slices.IndexFunc(s.Requests, func(r *QuotaRequest) bool { return r.State != RequestOpen })
		s.Requests = slices.Delete(s.Requests, oldest, oldest+1)
	}
}

func cloneRequests(list []*QuotaRequest) []*QuotaRequest {
	out := clonePointers(list)
	for _, r := range out {
		r.Offers = slices.Clone(r.Offers)
	}
	return out
}

// Spare is how many GPUs of its lasting grant the quota has not used for HighMemory days,
// in whole nodes; none while its own work waits.
func (a *Account) Spare(now Instant) int {
	if len(a.Queue()) > 0 {
		return 0
	}
	per := a.partition.GPUsPerNode
	return max(0, min(a.Lasting(), a.Grant-a.HighestUse(now))) / per * per
}
