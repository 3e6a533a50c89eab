package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mutantRoom is the package that says which mutant the process is; it exists in the
// overlay only.
const mutantRoom = "internal/decide/mutant"

const mutantCode = `// Package mutant says which mutant the process is.
package mutant

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

var (
	number, _ = strconv.Atoi(os.Getenv("MUSTER_MUTANT"))
	list      = os.Getenv("MUSTER_REACHED")
	reached   sync.Map
)

// Is says whether the process is this mutant.
func Is(id int) bool {
	if list != "" {
		note(id)
	}
	return number == id
}

// Pick is the wrong value for this mutant, and the right one for all others.
func Pick[T any](id int, right, wrong T) T {
	if Is(id) {
		return wrong
	}
	return right
}

// note adds a site to the list of those that the process reached.
func note(id int) {
	if _, known := reached.LoadOrStore(id, true); known {
		return
	}
	file, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	fmt.Fprintln(file, id)
}
`

// draw picks n sites of which none overlaps another.
func draw(r *rand.Rand, all []site, n int) []site {
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var list []site
	for _, s := range all {
		if len(list) == n {
			break
		}
		if !slices.ContainsFunc(list, s.overlaps) {
			list = append(list, s)
		}
	}
	return list
}

// overlay writes the files with the mistakes of all sites, numbered from 1, and
// returns the file that tells go about them. Dropped sites are left right.
func overlay(dir, root, module string, list []site, dropped map[int]bool) (string, error) {
	files := map[string][]int{}
	for i, s := range list {
		if !dropped[i] {
			files[s.File] = append(files[s.File], i)
		}
	}
	replace := map[string]string{filepath.Join(root, mutantRoom, "mutant.go"): filepath.Join(dir, "mutant.go")}
	if err := os.WriteFile(filepath.Join(dir, "mutant.go"), []byte(mutantCode), 0o600); err != nil {
		return "", err
	}
	for file, sites := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(path, []byte(rewrite(string(src), module, list, sites)), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, file)] = path
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, data, 0o600)
}

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

// rewrite puts the mistakes into a file, the last first, so that offsets stay. Lines
// stay too: the import stands on the line of the package clause.
func rewrite(src, module string, list []site, sites []int) string {
	slices.SortFunc(sites, func(a, b int) int { return list[b].start - list[a].start })
	for _, i := range sites {
		s := list[i]
		src = src[:s.start] + s.text(fmt.Sprint(i+1)) + src[s.end:]
	}
	at := packageClause.FindStringIndex(src)[1]
	return src[:at] + fmt.Sprintf("; import mutant %q", module+"/"+mutantRoom) + src[at:]
}

var compileError = regexp.MustCompile(`(?m)^\S*?([^/\s:]+\.go):(\d+):\d+: `)

// blamed finds the sites on lines that do not compile. Files are known by the names
// that overlay gave them, or by their own.
func blamed(output string, list []site, dropped map[int]bool) (found int) {
	for _, m := range compileError.FindAllStringSubmatch(output, -1) {
		for i, s := range list {
			name := strings.ReplaceAll(s.File, "/", "_")
			if (m[1] == name || m[1] == filepath.Base(s.File)) && !dropped[i] && s.covers(m[2]) {
				dropped[i] = true
				found++
			}
		}
	}
	return found
}

// covers says whether a line is one of the site's.
func (s site) covers(line string) bool {
	n, err := strconv.Atoi(strings.TrimSpace(line))
	return err == nil && n >= s.Line && n <= s.Line+s.lines
}
