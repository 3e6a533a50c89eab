package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// BenchmarkBulkCreate creates pods with the plain client and with client-go's dynamic
// client, 16 at a time, on a server that answers as an API server does: with the whole
// pod, managed fields and all. The server costs both the same.
func BenchmarkBulkCreate(b *testing.B) {
	answer := []byte(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"oak","uid":"u","managedFields":[%s]},"spec":{},"status":{}}`, fields(60)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
	defer server.Close()
	b.Run("plain", func(b *testing.B) {
		s := plain.Server{URL: server.URL, HTTP: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: plain.Pace}}}
		list := make([]plain.Object, b.N)
		for i := range list {
			list[i] = kubetest.Pod("oak", fmt.Sprint("p", i), 8)
		}
		b.ResetTimer()
		if err := s.Make(context.Background(), "/api/v1/namespaces/oak/pods", list, nil); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("dynamic", func(b *testing.B) {
		client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL, QPS: -1})
		if err != nil {
			b.Fatal(err)
		}
		pods := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace("oak")
		todo := make(chan *unstructured.Unstructured, b.N)
		for i := range b.N {
			u := &unstructured.Unstructured{}
			if err := u.UnmarshalJSON([]byte(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"oak"},"spec":{"containers":[{"name":"main","image":"none"}]}}`, i))); err != nil {
				b.Fatal(err)
			}
			todo <- u
		}
		close(todo)
		b.ResetTimer()
		var all sync.WaitGroup
		for range plain.Pace {
			all.Go(func() {
				for u := range todo {
					if _, err := pods.Create(context.Background(), u, metav1.CreateOptions{}); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
	})
}

// fields are as many managed fields as a pod of a Job has.
func fields(n int) (text string) {
	for i := range n {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"manager":"m%d","operation":"Update","fieldsV1":{"f:spec":{"f:x%d":{}}}}`, i, i)
	}
	return text
}
