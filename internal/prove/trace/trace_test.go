package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const goodJobs = `job_id,submit_unix_s,user,team,gpus,nodes,gpu_model,duration_s,priority,status
a,1506816000,ada,oak,12,,,600,high,Pass
b,1506816001.5,,elm,1,,,0,,
`

func TestJobsAreRead(t *testing.T) {
	jobs, err := ReadJobs("jobs.csv", strings.NewReader(goodJobs))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2017, 10, 1, 0, 0, 0, 0, time.UTC)
	want := []Job{
		{File: "jobs.csv", Line: 2, ID: "a", Team: "oak", User: "ada", Submit: start, GPUs: 12, Duration: 10 * time.Minute, Priority: "high"},
		{File: "jobs.csv", Line: 3, ID: "b", Team: "elm", Submit: start.Add(1500 * time.Millisecond), GPUs: 1},
	}
	if !reflect.DeepEqual(jobs, want) {
		t.Errorf("read %+v\nwant %+v", jobs, want)
	}
}

func TestColumnsMayStandInAnyOrder(t *testing.T) {
	text := "\xef\xbb\xbfduration_s, gpus ,extra,team,submit_unix_s,job_id\n60,8,\"x,y\",oak,0,a\n"
	jobs, err := ReadJobs("jobs.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(jobs) != 1 || jobs[0].GPUs != 8 || jobs[0].Duration != time.Minute || jobs[0].Team != "oak" {
		t.Errorf("read %+v", jobs)
	}
}

func TestGzipIsSeenByItsContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jobs.csv")
	if err := os.WriteFile(path, zipped(t, goodJobs), 0o600); err != nil {
		t.Fatal(err)
	}
	jobs, err := OpenJobs(path)
	if err != nil || len(jobs) != 2 {
		t.Errorf("%d jobs and error %v, want 2 and none", len(jobs), err)
	}
}

func zipped(t testing.TB, text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBadJobsAreNamedWithPlaceAndRemedy(t *testing.T) {
	const head = "job_id,submit_unix_s,team,gpus,duration_s\n"
	long := strings.Repeat("x", 10<<20)
	cases := []struct{ name, text, want string }{
		{"empty", "", "f:1: the file is empty; its first line must name the columns"},
		{"missing column", "job_id,submit_unix_s,team,duration_s\n", `f:1: no column "gpus": needed are job_id, submit_unix_s, team, gpus, duration_s; the file has job_id, submit_unix_s, team, duration_s`},
		{"column twice", "job_id,job_id,submit_unix_s,team,gpus,duration_s\n", `f:1: column "job_id" stands there twice`},
		{"cut line", head + "a,1,oak,8,60\nb,1,oa", "f:3: the line has 3 fields and the header 5: the line is cut short, or a comma in it is not quoted"},
		{"cut number", head + "a,1,oak,8,60\nb,1,oak,8,6", "f:3: the file ends without a line end, maybe inside duration_s; add one if the line is complete"},
		{"no number", head + "a,1,oak,eight,60\n", `f:2: gpus is "eight"; a number is needed`},
		{"not a number", head + "a,1,oak,NaN,60\n", `f:2: gpus is "NaN"; a number is needed`},
		{"negative GPUs", head + "a,1,oak,-8,60\n", "f:2: gpus is -8; it must be between 1 and 1000000"},
		{"no GPUs", head + "a,1,oak,0,60\n", "f:2: gpus is 0; it must be between 1 and 1000000"},
		{"fractional GPUs", head + "a,1,oak,1.5,60\n", "f:2: gpus is 1.5; a whole number is needed"},
		{"negative duration", head + "a,1,oak,8,-1\n", "f:2: duration_s is -1; it must be between 0 and 3153600000"},
		{"endless", head + "a,1,oak,8,Inf\n", "f:2: duration_s is Inf; it must be between 0 and 3153600000"},
		{"no team", head + "a,1,,8,60\n", "f:2: team is empty; every line needs one"},
		{"job twice", head + "a,1,oak,8,60\na,2,elm,8,60\na,3,oak,8,60\n", `f:4: job_id "a" of team "oak" stands in line 2 already`},
		{"open quote", head + "a,1,\"oak,8,60\n", `f:2: extraneous or missing " in quoted-field`},
		{"10 MB name", head + long + ",1,oak,8,60\n", `f:2: job_id "` + strings.Repeat("x", 199) + `…" has 10485760 bytes; 253 are allowed`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadJobs("f", strings.NewReader(c.text))
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v\nwant  %s", err, c.want)
			}
		})
	}
}

func TestATruncatedGzipIsNamed(t *testing.T) {
	text := goodJobs + strings.Repeat("c,1,,oak,8,,,1,,\n", 1)
	data := zipped(t, text)
	for _, cut := range []int{3, len(data) / 2, len(data) - 9, len(data) - 1} {
		_, err := ReadJobs("jobs.csv.gz", bytes.NewReader(data[:cut]))
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, "the file is cut short") {
			t.Errorf("cut at %d of %d: error %v", cut, len(data), err)
		}
	}
}

func TestADamagedGzipIsNamed(t *testing.T) {
	data := zipped(t, goodJobs)
	data[len(data)-6] ^= 0xff // in its checksum
	_, err := ReadJobs("jobs.csv.gz", bytes.NewReader(data))
	if err == nil || !strings.HasPrefix(err.Error(), "jobs.csv.gz:4: the file cannot be read: gzip:") {
		t.Errorf("error %v", err)
	}
}

func TestAMissingFileIsNoMalformedOne(t *testing.T) {
	_, err := OpenJobs(filepath.Join(t.TempDir(), "none.csv"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that it does not exist", err)
	}
}

func TestShapes(t *testing.T) {
	cases := map[int][]Pool{
		1:   {{"w", 1, 1}},
		7:   {{"w", 1, 7}},
		8:   {{"w", 1, 8}},
		12:  {{"w", 1, 8}, {"r", 1, 4}},
		16:  {{"w", 2, 8}},
		129: {{"w", 16, 8}, {"r", 1, 1}},
	}
	for gpus, want := range cases {
		if got := (Job{GPUs: gpus}).Shape(); !reflect.DeepEqual(got, want) {
			t.Errorf("%d GPUs: %v, want %v", gpus, got, want)
		}
	}
}

func TestFaultsAreRead(t *testing.T) {
	text := "node_id,start_day,end_day,class\ns1,0.5,2,GPU\ns1,1,1.25,Fan\n"
	faults, err := ReadFaults("faults.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []Fault{
		{Line: 2, Server: "s1", Start: 12 * time.Hour, End: 48 * time.Hour, Cause: "GPU"},
		{Line: 3, Server: "s1", Start: 24 * time.Hour, End: 30 * time.Hour, Cause: "Fan"},
	}
	if !reflect.DeepEqual(faults, want) {
		t.Errorf("read %+v\nwant %+v", faults, want)
	}
}

func TestBadFaultsAreNamed(t *testing.T) {
	cases := []struct{ text, want string }{
		{"node_id,start_day\n", `f:1: no column "end_day": needed are node_id, start_day, end_day; the file has node_id, start_day`},
		{"node_id,start_day,end_day\ns1,2,1\n", "f:2: end_day 1 is before start_day 2"},
		{"node_id,start_day,end_day\ns1,soon,1\n", `f:2: start_day is "soon"; a number is needed`},
	}
	for _, c := range cases {
		if _, err := ReadFaults("f", strings.NewReader(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("error %v\nwant  %s", err, c.want)
		}
	}
}
