package main

import (
	"crypto/subtle"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"time"
)

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	// Before a node can trust anybody.
	mux.HandleFunc("GET /cacerts", s.serveFile(func() []byte { return s.identity.serverCA.text }))
	mux.HandleFunc("GET /ping", s.serveFile(func() []byte { return []byte("pong") }))
	// For whoever has the join secret.
	mux.HandleFunc("GET /v1-k3s/config", s.withSecret(s.serveConfig))
	mux.HandleFunc("GET /v1-k3s/client-ca.crt", s.withSecret(s.serveFile(func() []byte { return s.identity.clientCA.text })))
	mux.HandleFunc("GET /v1-k3s/server-ca.crt", s.withSecret(s.serveFile(func() []byte { return s.identity.serverCA.text })))
	mux.HandleFunc("GET /v1-k3s/serving-kubelet.crt", s.withSecret(s.issueServingKubelet))
	mux.HandleFunc("GET /v1-k3s/client-kubelet.crt", s.withSecret(s.issueClientKubelet))
	// For whoever has a certificate of the client CA.
	mux.HandleFunc("GET /readyz", s.withCertificate(s.serveFile(func() []byte { return []byte("ok") })))
	mux.HandleFunc("GET /api/v1/namespaces", s.asAdmin(s.listNamespaces))
	mux.HandleFunc("GET /api/v1/nodes", s.asAdmin(s.listNodes))
	mux.HandleFunc("PUT /api/v1/nodes/{name}", s.asNode(s.registerNode))
	mux.HandleFunc("PUT /api/v1/nodes/{name}/status", s.asNode(s.reportStatus))
	mux.HandleFunc("GET /apis/k3s.cattle.io/v1/addons", s.asAdmin(s.listAddons))
	mux.HandleFunc("GET /apis/stand-in/v1/objects", s.asAdmin(s.listObjects))
	return mux
}

func (s *server) serveFile(content func() []byte) http.HandlerFunc {
	return func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Content-Type", "text/plain")
		answer.Write(content())
	}
}

func (s *server) withSecret(handle http.HandlerFunc) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		user, secret, given := request.BasicAuth()
		isRight := subtle.ConstantTimeCompare([]byte(secret), []byte(s.identity.secret)) == 1
		if !given || !isRight || !slices.Contains([]string{"node", "server"}, user) {
			refuse(answer, request, http.StatusUnauthorized, "Unauthorized")
			return
		}
		handle(answer, request)
	}
}

func (s *server) withCertificate(handle http.HandlerFunc) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		if callerOf(request) == nil {
			refuse(answer, request, http.StatusUnauthorized, "Unauthorized")
			return
		}
		handle(answer, request)
	}
}

func (s *server) asAdmin(handle http.HandlerFunc) http.HandlerFunc {
	return s.withCertificate(func(answer http.ResponseWriter, request *http.Request) {
		if !slices.Contains(callerOf(request).Subject.Organization, "system:masters") {
			refuse(answer, request, http.StatusForbidden, "forbidden: the caller is not an administrator")
			return
		}
		handle(answer, request)
	})
}

// asNode lets a node speak of itself only.
func (s *server) asNode(handle http.HandlerFunc) http.HandlerFunc {
	return s.withCertificate(func(answer http.ResponseWriter, request *http.Request) {
		if callerOf(request).Subject.CommonName != "system:node:"+request.PathValue("name") {
			refuse(answer, request, http.StatusForbidden, "forbidden: the caller is not this node")
			return
		}
		handle(answer, request)
	})
}

func callerOf(request *http.Request) *x509.Certificate {
	if len(request.TLS.VerifiedChains) == 0 {
		return nil
	}
	return request.TLS.VerifiedChains[0][0]
}

func refuse(answer http.ResponseWriter, request *http.Request, status int, reason string) {
	logError("Sending %s %d response to %s: %s", request.Proto, status, request.RemoteAddr, reason)
	answer.Header().Set("Content-Type", "application/json")
	answer.WriteHeader(status)
	json.NewEncoder(answer).Encode(map[string]any{"kind": "Status", "code": status, "message": reason})
}

func (s *server) registerNode(answer http.ResponseWriter, request *http.Request) {
	var reported node
	if err := json.NewDecoder(request.Body).Decode(&reported); err != nil {
		refuse(answer, request, http.StatusBadRequest, err.Error())
		return
	}
	reported.Metadata.Name = request.PathValue("name")
	err := s.store.change(func(known *state) error {
		known.register(&reported)
		s.reports[reported.Metadata.Name] = time.Now().UTC()
		return nil
	})
	if err != nil {
		refuse(answer, request, http.StatusInternalServerError, err.Error())
	}
}

// reportStatus does not take an unknown node in: a kubelet registers once, as it starts.
func (s *server) reportStatus(answer http.ResponseWriter, request *http.Request) {
	name := request.PathValue("name")
	var isKnown bool
	s.store.read(func(known *state) {
		if _, isKnown = known.Nodes[name]; isKnown {
			s.reports[name] = time.Now().UTC()
		}
	})
	if !isKnown {
		refuse(answer, request, http.StatusNotFound, fmt.Sprintf("nodes %q not found", name))
	}
}

func (s *server) listNodes(answer http.ResponseWriter, _ *http.Request) {
	s.store.read(func(known *state) {
		items := sorted(known.Nodes, func(name string, found *node) any { return withConditions(*found, s.reports[name]) })
		writeList(answer, "NodeList", "v1", items)
	})
}

// listNamespaces shows kube-system only: its uid is how Kubernetes' users tell one cluster from another.
func (s *server) listNamespaces(answer http.ResponseWriter, _ *http.Request) {
	s.store.read(func(known *state) {
		founded := metadata{Name: "kube-system", UID: known.ClusterID, CreationTimestamp: &known.FoundedAt}
		item := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": founded}
		writeList(answer, "NamespaceList", "v1", []any{item})
	})
}

func (s *server) listAddons(answer http.ResponseWriter, _ *http.Request) {
	s.store.read(func(known *state) {
		items := sorted(known.Addons, func(name string, found *addon) any {
			return map[string]any{
				"apiVersion": "k3s.cattle.io/v1", "kind": "Addon",
				"metadata": metadata{Name: name, Namespace: "kube-system"}, "spec": found,
			}
		})
		writeList(answer, "AddonList", "k3s.cattle.io/v1", items)
	})
}

func (s *server) listObjects(answer http.ResponseWriter, _ *http.Request) {
	s.store.read(func(known *state) {
		items := sorted(known.Objects, func(_ string, found *object) any {
			return map[string]any{
				"apiVersion": found.APIVersion, "kind": found.Kind,
				"metadata": metadata{Name: found.Name, Namespace: found.Namespace},
				"deployed": map[string]string{"addon": found.Addon, "file": found.File, "digest": found.Digest},
			}
		})
		writeList(answer, "ObjectList", "stand-in/v1", items)
	})
}

func sorted[T any](things map[string]T, show func(string, T) any) []any {
	keys := make([]string, 0, len(things))
	for key := range things {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	items := make([]any, 0, len(keys))
	for _, key := range keys {
		items = append(items, show(key, things[key]))
	}
	return items
}

func writeList(answer http.ResponseWriter, kind, apiVersion string, items []any) {
	answer.Header().Set("Content-Type", "application/json")
	json.NewEncoder(answer).Encode(map[string]any{"kind": kind, "apiVersion": apiVersion, "items": items})
}
