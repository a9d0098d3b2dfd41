package main

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"net/http"
	"strings"
)

const (
	nodeNameHeader     = "k3s-Node-Name"
	nodePasswordHeader = "k3s-Node-Password"
	nodeIPHeader       = "k3s-Node-IP"
)

func (s *server) serveConfig(answer http.ResponseWriter, _ *http.Request) {
	answer.Header().Set("Content-Type", "application/json")
	answer.Write([]byte(`{"FlannelBackend":"vxlan","ClusterDomain":"cluster.local"}` + "\n"))
}

func (s *server) issueServingKubelet(answer http.ResponseWriter, request *http.Request) {
	name := request.Header.Get(nodeNameHeader)
	names := []string{name, "localhost", "127.0.0.1"}
	for _, address := range strings.Split(request.Header.Get(nodeIPHeader), ",") {
		if address != "" {
			names = append(names, address)
		}
	}
	s.issueToNode(answer, request, s.identity.serverCA, pkix.Name{CommonName: name}, x509.ExtKeyUsageServerAuth, names)
}

func (s *server) issueClientKubelet(answer http.ResponseWriter, request *http.Request) {
	name := pkix.Name{
		CommonName:   "system:node:" + request.Header.Get(nodeNameHeader),
		Organization: []string{"system:nodes"},
	}
	s.issueToNode(answer, request, s.identity.clientCA, name, x509.ExtKeyUsageClientAuth, nil)
}

// issueToNode answers with certificate and key, to the machine that the node's name belongs to.
func (s *server) issueToNode(
	answer http.ResponseWriter, request *http.Request,
	by *authority, name pkix.Name, usage x509.ExtKeyUsage, names []string,
) {
	nodeName, password := request.Header.Get(nodeNameHeader), request.Header.Get(nodePasswordHeader)
	if nodeName == "" || password == "" {
		refuse(answer, request, http.StatusBadRequest, "node name and node password are required")
		return
	}
	if err := s.store.change(func(known *state) error { return known.claimName(nodeName, password) }); err != nil {
		refuse(answer, request, http.StatusForbidden, err.Error())
		return
	}
	certificate, key, err := by.issue(name, usage, names)
	if err != nil {
		refuse(answer, request, http.StatusInternalServerError, err.Error())
		return
	}
	answer.Write(append(certificate, key...))
}
