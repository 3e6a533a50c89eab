package cli

// foreseen holds the fields of all kinds of events that a sentence here is made of, as their JSON
// names them. An event fills those that it has, and its sentence reads no others.
type foreseen struct {
	ID            uint64
	By, Why       string
	Was, From, To any // GPUs, states, quotas, or replicas
	foreseenThing
	foreseenNode
	foreseenGrant
	foreseenWork
	foreseenReplicas
	foreseenAsking
	foreseenRole
}

// foreseenThing is what an event is about.
type foreseenThing struct {
	Name, Cluster, Mode, GPU, Island, Scope string
	Quota, Partition, Node, Owner           string
	Names                                   []string
}

// foreseenNode is what is said of a node.
type foreseenNode struct {
	State, Signature string
	Dead             int
	Passed           any // whether a validation passed; or who was passed in a queue
	Real             bool
	Sightings        []any
}

// foreseenGrant is what quotas get and lose.
type foreseenGrant struct {
	None                          bool
	GPUs, Gang, Promisable, Nodes int
	Overcommit                    bool
	Temporary, WasTemporary       foreseenEnd
	Haircut                       string
	Access                        struct{ Users, Groups, Namespaces []string }
	Backing                       []struct {
		Quota, Island string
		Nodes         int
	}
	Gangs []struct {
		Quota, Island string
		Missing       int
	}
}

// foreseenEnd is what of a grant ends by itself.
type foreseenEnd struct {
	GPUs  int
	Until int64 // nanoseconds since 1970
}

// foreseenWork is what is said of a workload.
type foreseenWork struct {
	Workload, For           uint64
	Target, Class, Priority string
	Whole, Failed           bool
	Spec                    asked
}

// foreseenReplicas is what becomes of a workload's replicas.
type foreseenReplicas struct {
	Pool, Left, Min, Max, Holds int
	Reserved, Mend              bool
	Spots, Leave                []any
}

// foreseenRole is a role that a person, group or token would get or lose.
type foreseenRole struct {
	Subject struct{ Kind, Name string }
	Role    string
	Binding struct {
		Subject struct{ Kind, Name string }
		Role    string
	}
}

// foreseenAsking is what people keep for themselves, ask for and offer.
type foreseenAsking struct {
	Hold struct {
		ID               uint64
		Quota, Partition string
		GPUs             int
		Until            int64 // nanoseconds since 1970
		User, Namespace  string
		Work             string
	}
	Request struct {
		ID               uint64
		Quota, Partition string
		GPUs             int
	}
	Offer struct {
		From string
		GPUs int
	}
	Subscription struct{ Name string }
}
