package web_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// forms are the forms by which pages change something, by their addresses.
var forms = []string{
	"grant", "transfer", "hold", "release", "request", "answer", "access", "cancel", "retarget", "priority", "cordon", "drain", "uncordon",
	"open-incident", "update-incident", "close-incident", "burst", "breaker", "acknowledge", "buffer", "approve", "decline", "end-sign-ins",
	"add-update", "start-rollout", "pause-rollout", "resume-rollout", "abandon-rollout", "add-zone", "end-zone", "zone-days", "announce", "cancel-maintenance",
	"cluster-plan", "cluster-checkin", "cluster-quota", "cluster-hold", "cluster-go", "cluster-retry", "cluster-unblock", "cluster-retire", "cluster-confirm",
}

// formField is a field as a form shows it.
type formField struct {
	label, name, sample string
	choices             []string
}

var (
	aLabel     = regexp.MustCompile(`(?s)<label>\s*<span>\s*(.*?)</span>\s*<(?:input name="([^"]+)" value="[^"]*" placeholder="([^"]*)"|select name="([^"]+)">(.*?)</select>)`)
	anOption   = regexp.MustCompile(`<option value="([^"]*)"`)
	wouldBe    = regexp.MustCompile(`It would be refused: ([^<]*)<`)
	programs   = regexp.MustCompile(`(^|; )[a-z_]+([._\[][a-z_.0-9\[\]]*)?: |value must|value length|value does not`)
	saysInside = regexp.MustCompile(`<span class="dim">.*`)
)

// aHead is the label with which a refusal about one field begins.
var aHead = regexp.MustCompile(`^([A-Z][A-Za-z ,%-]{0,40}): `)

func hasLabel(fields []formField, label string) bool {
	return slices.ContainsFunc(fields, func(f formField) bool { return f.label == label })
}

// fieldsOf are the fields of a form that its reader fills in.
func fieldsOf(body string) (list []formField) {
	for _, m := range aLabel.FindAllStringSubmatch(body, -1) {
		f := formField{label: strings.TrimSpace(html.UnescapeString(saysInside.ReplaceAllString(m[1], ""))), name: m[2] + m[4], sample: strings.TrimPrefix(html.UnescapeString(m[3]), "such as ")}
		for _, o := range anOption.FindAllStringSubmatch(m[5], -1) {
			f.choices = append(f.choices, o[1])
		}
		list = append(list, f)
	}
	return list
}

// filled are values for all fields of a form, none of which is wrong by itself.
func filled(fields []formField) url.Values {
	values := url.Values{"try": {"yes"}}
	for _, f := range fields {
		switch {
		case slices.Contains([]string{"gang", "deadline", "time_zone", "wanted", "recur", "freeze"}, f.name): // may be left out
		case len(f.choices) > 0:
			values.Set(f.name, f.choices[0])
		case slices.Contains([]string{"to", "until", "starts"}, f.name) && f.label != "To" || f.sample == "7d, or 2026-12-15":
			values.Set(f.name, "7d")
		case strings.ContainsAny(f.sample, " …") || f.sample == "all" || f.sample == "none" || f.sample == "":
			values.Set(f.name, "x")
		default:
			values.Set(f.name, f.sample)
		}
	}
	return values
}

// Whatever is wrong with one field of one form, the refusal is in the words that its reader sees: it has the label of a field. It
// never has the name that a program has for it, nor the words of what checks messages.
func TestRefusalsAreInTheWordsOfTheForm(t *testing.T) {
	h := planned(t)
	refused := 0
	for _, name := range forms {
		_, bare := h.get("/do/" + name)
		fields := fieldsOf(bare)
		if len(fields) == 0 && name != "zone-days" {
			t.Errorf("/do/%s shows no field", name)
		}
		for _, f := range fields {
			for _, bad := range []string{"", "-64", "1.5", "99999999999", "?!", "no such one", "a/b/c/d/e", strings.Repeat("x", 3000)} {
				values := filled(fields)
				values.Set(f.name, bad)
				code, body := h.get("/do/" + name + "?" + values.Encode())
				m := wouldBe.FindStringSubmatch(body)
				if code != http.StatusOK || m == nil {
					continue
				}
				refused++
				says := html.UnescapeString(m[1])
				if labelled := aHead.FindStringSubmatch(says); programs.MatchString(says) || len(labelled) == 2 && !hasLabel(fields, labelled[1]) {
					t.Errorf("/do/%s, %s = %.20q: %q", name, f.label, bad, says)
				}
			}
		}
	}
	if refused < 300 {
		t.Errorf("only %d refusals were read", refused)
	}
}

// What has a meaning of its own, a number, a moment, a length or a choice, is refused at its field: with its label, the value, and
// what to write instead. Also where the form is sent without having been tried.
func TestAFieldOfAMeaningSaysWhatWouldBeRight(t *testing.T) {
	h := planned(t)
	checked := 0
	for _, name := range forms {
		_, bare := h.get("/do/" + name)
		fields := fieldsOf(bare)
		for _, f := range fields {
			bad := "-64"
			if len(f.choices) == 0 && (!slices.Contains(meaningful, f.name) || f.label == "GPU models") {
				continue
			}
			checked++
			values := filled(fields)
			values.Set(f.name, bad)
			_, body := h.get("/do/" + name + "?" + values.Encode())
			want := regexp.MustCompile(`It would be refused: (.*; )?` + regexp.QuoteMeta(f.label) + `: "-64" is not .*; write `)
			if plain := html.UnescapeString(body); !want.MatchString(plain) {
				t.Errorf("/do/%s, %s = %q: %q", name, f.label, bad, wouldBe.FindString(plain))
			}
			_, open := h.get("/do/cordon?try=yes&nodes=tiger-h200-i1-001")
			for carried, value := range form(open) {
				values[carried] = value
			}
			values.Set("reason", "the story")
			code, body := h.post("/do/"+name, values)
			if code != http.StatusBadRequest || !strings.Contains(html.UnescapeString(body), f.label+`: "-64" is not `) {
				t.Errorf("POST /do/%s, %s = %q: %d", name, f.label, bad, code)
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d fields were checked", checked)
	}
}

// meaningful are the fields that are read as something else than a text.
var meaningful = []string{"gpus", "gang", "until", "id", "job", "canary", "soak", "lasts", "freeze", "days", "starts", "from", "deadline", "islands", "wanted"}

// typed are the fields of a page into which something is typed.
var typed = regexp.MustCompile(`<(?:input|textarea)\b[^>]*>`)

// Every field into which something is typed shows what would be right: in forms, and in the filters above lists.
func TestEveryFieldShowsWhatWouldBeRight(t *testing.T) {
	h := planned(t)
	checked := 0
	pages := slices.Clone(everyPage)
	for _, name := range forms {
		pages = append(pages, "/do/"+name)
	}
	pages = append(pages, "/do/cordon?try=yes&nodes=tiger-h200-i1-001", "/haircuts?basis=quota")
	for _, path := range pages {
		_, body := h.get(path)
		for _, field := range typed.FindAllString(body, -1) {
			if regexp.MustCompile(`type="(hidden|checkbox|range|password)"|value="[^"]`).MatchString(field) {
				continue
			}
			if checked++; !regexp.MustCompile(`placeholder="[^"]`).MatchString(field) {
				t.Errorf("%s: %s shows no example", path, field)
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d fields were checked", checked)
	}
}

// A form that was not tried yet has a way back, and what stands in a field that must be filled in says that it is an example.
func TestAFormHasAWayBackAndItsExamplesSayThatTheyAreSome(t *testing.T) {
	h := planned(t)
	cancel := regexp.MustCompile(`<a class="button" href="([^"]+)">(Cancel|Keep it)</a>`)
	value := regexp.MustCompile(`placeholder="([^"]*)" required`)
	free := regexp.MustCompile(`<input name="(until|users|groups|namespaces|freeze|workload|link|note|share)" value="" placeholder="([^"]*)"`)
	for _, name := range forms {
		_, bare := h.get("/do/" + name)
		way := cancel.FindStringSubmatch(bare)
		if way == nil {
			t.Errorf("/do/%s has no way back", name)
			continue
		}
		if keeps := way[2] == "Keep it"; keeps != strings.HasPrefix(name, "cancel") {
			t.Errorf("/do/%s: %q may be taken for what the form does", name, way[2])
		}
		for _, m := range free.FindAllStringSubmatch(bare, -1) {
			if !strings.HasPrefix(m[2], "such as ") {
				t.Errorf("/do/%s, %s: the example %q reads as what an empty field means", name, m[1], m[2])
			}
		}
		if code, _ := h.get(html.UnescapeString(way[1])); code >= 500 {
			t.Errorf("/do/%s leads back to %s: %d", name, way[1], code)
		}
		for _, m := range value.FindAllStringSubmatch(bare, -1) {
			if m[1] != "" && !strings.HasPrefix(m[1], "such as ") {
				t.Errorf("/do/%s shows the example %q as if it were a value", name, m[1])
			}
		}
	}
}
