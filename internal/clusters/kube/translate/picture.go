package translate

import (
	"cmp"
	"slices"
	"strconv"
)

// Picture is pods that are not made yet: so many that are alike in all except their names. It takes the room of one.
type Picture struct {
	Like      Pod
	Count     int
	name, uid string // with what the names of its pods, and their UIDs, begin
	numbered  bool   // the pods have names of their own, and say which they are
}

// PictureOf is so many pods whose UIDs begin so.
func PictureOf(like Pod, count int, uid string) Picture {
	return Picture{Like: like, Count: count, uid: uid}
}

// mostPictured is how many pods are drawn one by one of all that a namespace's objects would make. An object of a
// kilobyte may speak of twenty thousand, and a pod takes nearly one.
const mostPictured = 20_000

// pod is one of the pods.
func (p *Picture) pod(i int) Pod {
	is := p.Like
	is.UID = p.uid + strconv.Itoa(i)
	if p.numbered {
		is.Name, is.Index = p.name+strconv.Itoa(i), i
	}
	if i > 0 {
		is.Problems = nil
	}
	return is
}

// small is one pod that says how many there are: that is what a workload is made of, too.
func (p *Picture) small() Pod {
	is := p.pod(0)
	is.Owner.Size = max(is.Owner.Size, p.Count)
	return is
}

// pods counts the pods of an object.
func pods(of []Picture) (n int) {
	for i := range of {
		n += of[i].Count
	}
	return n
}

// Draw lists the pods that objects would make. Where a namespace has many, those of the largest objects are told by
// one pod for all that are alike.
func Draw(objects [][]Picture) (list []Pod) {
	objects = slices.DeleteFunc(slices.Clone(objects), func(of []Picture) bool { return len(of) == 0 })
	slices.SortFunc(objects, func(a, b []Picture) int {
		return cmp.Or(cmp.Compare(pods(a), pods(b)), cmp.Compare(a[0].uid, b[0].uid))
	})
	drawn := map[string]int{}
	for _, of := range objects {
		namespace, n := of[0].Like.Namespace, pods(of)
		whole := drawn[namespace]+n <= mostPictured
		if whole {
			drawn[namespace] += n
		}
		for i := range of {
			list = of[i].into(list, whole)
		}
	}
	return list
}

// into adds the pods to a list, one by one or told by one.
func (p *Picture) into(list []Pod, whole bool) []Pod {
	if !whole {
		return append(list, p.small())
	}
	for i := range p.Count {
		list = append(list, p.pod(i))
	}
	return list
}
