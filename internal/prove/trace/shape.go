package trace

// Pool is replicas of one size in the shape of a job.
type Pool struct {
	Name     string
	Replicas int
	GPUs     int // per replica
}

// wholeNode is the number of GPUs of a whole-node replica.
const wholeNode = 8

// Shape is how the job's GPUs become replicas: up to 8 are one replica, a
// multiple of 8 is whole-node replicas, and anything else is whole nodes and one
// replica (of the second pool) with the remainder. More than one replica is one gang.
func (j Job) Shape() []Pool {
	whole, rest := j.GPUs/wholeNode, j.GPUs%wholeNode
	switch {
	case whole == 0:
		return []Pool{{"w", 1, rest}}
	case rest == 0:
		return []Pool{{"w", whole, wholeNode}}
	}
	return []Pool{{"w", whole, wholeNode}, {"r", 1, rest}}
}
