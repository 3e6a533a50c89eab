package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/muster-fleet/muster/internal/run/gate"
)

// review is an AdmissionReview (admission.k8s.io/v1), as far as it is needed.
type review struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Request    *request  `json:"request,omitempty"`
	Response   *response `json:"response,omitempty"`
}

type request struct {
	UID  string `json:"uid"`
	Kind struct {
		Kind string `json:"kind"`
	} `json:"kind"`
	Object    json.RawMessage `json:"object"`
	OldObject json.RawMessage `json:"oldObject"`
}

type response struct {
	UID       string  `json:"uid"`
	Allowed   bool    `json:"allowed"`
	Status    *status `json:"status,omitempty"`
	PatchType string  `json:"patchType,omitempty"`
	Patch     []byte  `json:"patch,omitempty"`
}

type status struct {
	Message string `json:"message"`
	Code    int    `json:"code"`
}

// mostReview bounds what is read of one review: an object has at most some MiB.
const mostReview = 16 << 20

// Handler answers reviews at /admit, and says at /healthz that it is there.
func (o Options) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("POST /admit", func(w http.ResponseWriter, r *http.Request) {
		var in review
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostReview)).Decode(&in)
		if err != nil || in.Request == nil {
			http.Error(w, "this is no AdmissionReview with a request", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview", Response: o.answer(in.Request)})
	})
	return mux
}

// answer lets an object in, changed. What cannot be read is refused.
func (o Options) answer(r *request) *response {
	out := &response{UID: r.UID, Allowed: true}
	patch, err := o.patch(r)
	if err != nil {
		out.Allowed, out.Status = false, &status{Message: "muster: " + err.Error(), Code: http.StatusBadRequest}
		return out
	}
	if len(patch) > 0 {
		out.PatchType = "JSONPatch"
		if out.Patch, err = json.Marshal(patch); err != nil {
			out.Allowed, out.Status = false, &status{Message: "muster: " + err.Error(), Code: http.StatusInternalServerError}
		}
	}
	return out
}

// patch changes a pod, or the templates of what makes pods.
func (o Options) patch(r *request) ([]Operation, error) {
	if r.Kind.Kind == "Pod" || r.Kind.Kind == "" {
		return o.Mutate(r.Object)
	}
	old := r.OldObject
	if bytes.Equal(old, []byte("null")) {
		old = nil
	}
	return o.MutateMaker(r.Object, old)
}

// How long an API server may take to ask, and to hear the answer, and how many connections
// there may be: API servers are few.
const (
	patience = 30 * time.Second
	mostOf   = 128
	mostAll  = 1024
)

// Serve answers on an address until ctx ends. The certificate's files are read again
// now and then, so that it may be renewed while this runs.
func (o Options) Serve(ctx context.Context, l net.Listener, certFile, keyFile string) error {
	kept := &gate.Certificate{Cert: certFile, Key: keyFile}
	if _, err := kept.Get(nil); err != nil {
		return err
	}
	server := &http.Server{
		Handler: o.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: patience, WriteTimeout: patience, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: kept.Get},
	}
	stop := context.AfterFunc(ctx, func() {
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(soon)
	})
	defer stop()
	if err := server.ServeTLS(gate.Bounds{PerAddress: mostOf, Total: mostAll}.Listen(l), "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
