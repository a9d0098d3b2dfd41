package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

type server struct {
	settings *settings
	folder   string
	store    *datastore
	identity *identity
	// reports holds when each node last reported to this process. It is not stored: a node is Ready when it is
	// really in touch with the server that is asked.
	reports map[string]time.Time
}

// runServer brings the cluster up in k3s' order: datastore, identity, API, manifests, then the node of its own.
func runServer(chosen *settings) error {
	if chosen.serverURL != "" {
		return errors.New("the stand-in does not simulate servers that join another one")
	}
	s := &server{settings: chosen, folder: filepath.Join(chosen.dataDir, "server"), reports: map[string]time.Time{}}
	if err := s.prepare(); err != nil {
		return fmt.Errorf("starting kubernetes: preparing server: %w", err)
	}
	listener, err := s.serve()
	if err != nil {
		return err
	}
	if err := s.identity.writeTokens(s.folder); err != nil {
		return err
	}
	url := s.url(listener)
	if err := s.writeKubeconfigs(url); err != nil {
		return err
	}
	if err := stageBundled(filepath.Join(s.folder, "manifests"), chosen); err != nil {
		return err
	}
	go newDeployer(s).watch()
	info("Kube API server is now running")
	info("k3s is up and running")
	notifyReady()
	own := *chosen
	own.serverURL, own.token = url, s.identity.token
	own.nodeLabels = append(list{"node-role.kubernetes.io/control-plane=true"}, chosen.nodeLabels...)
	return runAgent(&own, func() {})
}

func (s *server) prepare() error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	given, err := s.givenToken()
	if err != nil {
		return err
	}
	if s.store, err = openDatastore(filepath.Join(s.folder, "db/state.db")); err != nil {
		return err
	}
	if err := reconcileBootstrap(s.store, s.folder, given.secret); err != nil {
		return err
	}
	if s.identity, err = ensureIdentity(s.folder, given); err != nil {
		return err
	}
	return saveBootstrap(s.store, s.folder, s.identity.secret)
}

// givenToken is the configured token, else the one that an earlier start recorded, else none.
func (s *server) givenToken() (credentials, error) {
	token := s.settings.token
	if token == "" {
		recorded, err := os.ReadFile(filepath.Join(s.folder, "token"))
		if errors.Is(err, fs.ErrNotExist) {
			return credentials{}, nil
		}
		if err != nil {
			return credentials{}, err
		}
		token = strings.TrimSpace(string(recorded))
	}
	return serverSecret(token)
}

// serve answers on the bind address from here on.
func (s *server) serve() (net.Listener, error) {
	certificate, key, err := s.identity.issueServing(s.folder, s.servingNames())
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(s.identity.clientCA.text)
	address := net.JoinHostPort(s.settings.bindAddress, strconv.Itoa(s.settings.httpsPort))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	info("Running kube-apiserver --advertise-address=%s --bind-address=%s --secure-port=%d", s.advertised(),
		s.settings.bindAddress, listener.Addr().(*net.TCPAddr).Port)
	answering := &http.Server{
		Handler:           s.routes(),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(errorWriter{}, "", 0),
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{pair},
			ClientAuth:   tls.VerifyClientCertIfGiven,
			ClientCAs:    clients,
		},
	}
	go func() { fatal(answering.ServeTLS(listener, "", "")) }()
	return listener, nil
}

func (s *server) servingNames() []string {
	names := s.settings.tlsSANs.split()
	names = append(names, "127.0.0.1", "::1", "localhost", s.settings.nodeName)
	names = append(names, s.settings.nodeIPs.split()...)
	names = append(names, s.advertised(), "10.43.0.1")
	return append(names, "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
}

// advertised falls back on the public address before the private one, which is why it is set explicitly.
func (s *server) advertised() string {
	if s.settings.advertiseAddress != "" {
		return s.settings.advertiseAddress
	}
	return append(s.settings.nodeExternalIPs.split(), s.settings.nodeIPs.split()...)[0]
}

func (s *server) url(listener net.Listener) string {
	host := s.settings.bindAddress
	if host == "" {
		host = "127.0.0.1"
	}
	return "https://" + net.JoinHostPort(host, strconv.Itoa(listener.Addr().(*net.TCPAddr).Port))
}

// errorWriter brings what net/http complains about into the log's form.
type errorWriter struct{}

func (errorWriter) Write(line []byte) (int, error) {
	info("%s", strings.TrimSpace(string(line)))
	return len(line), nil
}
