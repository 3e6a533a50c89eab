package trace

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzJobs: whatever a file holds, it is read into jobs within bounds or refused
// with its place.
func FuzzJobs(f *testing.F) {
	f.Add([]byte(goodJobs))
	f.Add(zipped(f, goodJobs))
	f.Add([]byte("job_id,submit_unix_s,team,gpus,duration_s\na,1,oak,8,60"))
	f.Fuzz(func(t *testing.T, data []byte) {
		jobs, err := ReadJobs("f", bytes.NewReader(data))
		checkError(t, err)
		for _, j := range jobs {
			if err == nil && (j.ID == "" || j.Team == "" || j.GPUs < 1 || j.Duration < 0 || j.Line < 2 || j.Submit.Unix() < 0) {
				t.Errorf("read a job that cannot be: %+v", j)
			}
			checkShape(t, j)
		}
	})
}

func checkShape(t *testing.T, j Job) {
	total := 0
	for _, p := range j.Shape() {
		if p.GPUs < 1 || p.GPUs > wholeNode || p.Replicas < 1 {
			t.Errorf("%d GPUs get an impossible pool: %+v", j.GPUs, p)
		}
		total += p.GPUs * p.Replicas
	}
	if total != j.GPUs {
		t.Errorf("%d GPUs get a shape of %d", j.GPUs, total)
	}
}

// FuzzFaults is the same for faults.
func FuzzFaults(f *testing.F) {
	f.Add([]byte("node_id,start_day,end_day,class\ns1,0.5,2,GPU\n"))
	f.Add(zipped(f, "end_day,node_id,start_day\n1,s1,0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		faults, err := ReadFaults("f", bytes.NewReader(data))
		checkError(t, err)
		for _, x := range faults {
			if err == nil && (x.Server == "" || x.Start < 0 || x.End < x.Start) {
				t.Errorf("read a fault that cannot be: %+v", x)
			}
		}
	})
}

func checkError(t *testing.T, err error) {
	var e *Error
	if err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Message == "" || len(e.Message) > 1000) {
		t.Errorf("an error without its place, or too long: %v", err)
	}
}
