package haircut

import (
	"cmp"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// Save keeps a draft under a name.
func Save(v *frame.Visit) (string, error) {
	_, ask, err := askOf(v)
	if err != nil {
		return "", err
	}
	w, err := v.Reasoned()
	if err != nil {
		return "", err
	}
	effective, err := effectiveOf(v)
	if err != nil {
		return "", err
	}
	p, err := v.Haircuts.PlanHaircut(v.Ctx, &musterv1.PlanHaircutRequest{
		Write: w, Name: strings.TrimSpace(v.Request.PostFormValue("name")), Ask: ask, Effective: effective,
	})
	if err != nil {
		return "", err
	}
	name := p.GetHaircut().GetName()
	v.Say("The plan " + name + " is saved. Have it reviewed before it is applied.")
	return "/haircut/" + name, nil
}

// effectiveOf is the day from which waves take effect, if the form names one.
func effectiveOf(v *frame.Visit) (*timestamppb.Timestamp, error) {
	word := strings.TrimSpace(v.Request.PostFormValue("effective"))
	if word == "" {
		return nil, nil
	}
	at, ok := words.Ahead(strings.TrimSuffix(word, " UTC"), v.Now, time.UTC)
	if !ok || !at.After(v.Now) {
		return nil, frame.Wrong("Takes effect from", frame.Unfit(word, "a moment to come", words.AheadExamples))
	}
	return timestamppb.New(at), nil
}

// Do reviews, tells, applies or undoes.
func Do(v *frame.Visit) (string, error) {
	name, cluster := v.Request.PathValue("name"), v.Request.PostFormValue("cluster")
	w, err := v.Reasoned()
	if err != nil {
		return "", err
	}
	switch v.Request.PathValue("step") {
	case "review":
		_, err = v.Haircuts.ReviewHaircut(v.Ctx, &musterv1.ReviewHaircutRequest{Write: w, Name: name})
		v.SayIf(err, "You have reviewed the plan.")
	case "tell":
		told, failed := v.Haircuts.TellHaircut(v.Ctx, &musterv1.TellHaircutRequest{Write: w, Name: name, Cluster: cluster})
		err = failed
		v.SayIf(err, "It is noted who was told: "+cmp.Or(words.Few(told.GetPeople(), 8), "the people concerned")+".")
	case "apply":
		_, err = v.Haircuts.ApplyHaircut(v.Ctx, &musterv1.ApplyHaircutRequest{Write: w, Name: name, Cluster: cluster, Class: v.Request.PostFormValue("class"), Early: v.Request.PostFormValue("early") != ""})
		v.SayIf(err, "The wave over "+cluster+" is in force. It can be undone.")
	case "undo":
		_, err = v.Haircuts.UndoHaircut(v.Ctx, &musterv1.UndoHaircutRequest{Write: w, Name: name, Cluster: cluster, Overcommit: v.Request.PostFormValue("overcommit") != ""})
		v.SayIf(err, "The wave over "+cluster+" is undone.")
	case "delete":
		if _, err = v.Haircuts.DeleteHaircut(v.Ctx, &musterv1.DeleteHaircutRequest{Write: w, Name: name}); err == nil {
			v.Say("The plan " + name + " is deleted.")
			return "/haircuts", nil
		}
	default:
		err = frame.Wrong("step", "is none of review, tell, apply, undo and delete")
	}
	return "/haircut/" + name, err
}

// Export hands out a plan, or a draft of one, as a file.
func Export(v *frame.Visit) error {
	format := v.Query("format")
	if format != "csv" {
		format = "xlsx"
	}
	ask := &musterv1.ExportHaircutRequest{AsOf: v.AsOf, Name: v.Query("name"), Format: format}
	if ask.Name == "" {
		var err error
		if _, ask.Ask, err = askOf(v); err != nil {
			return err
		}
	}
	x, err := v.Haircuts.ExportHaircut(v.Ctx, ask)
	if err != nil {
		return err
	}
	name := cmp.Or(ask.GetName(), "draft")
	h := v.Writer.Header()
	h.Set("Content-Type", fileTypes[format])
	h.Set("Content-Disposition", `attachment; filename="haircut-`+strings.Map(fileLetter, name)+"."+format+`"`)
	_, _ = v.Writer.Write(x.GetContent())
	return nil
}

var fileTypes = map[string]string{
	"csv":  "text/csv; charset=utf-8",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

func fileLetter(r rune) rune {
	if r > 0x20 && r < 0x7f && !strings.ContainsRune(`"\/`, r) {
		return r
	}
	return '-'
}
