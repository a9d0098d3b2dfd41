package main

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

type agent struct {
	settings *settings
	folder   string
	// What the node speaks to the API with, once it has joined.
	api *http.Client
	url string
}

// runAgent joins the cluster, for as long as that takes, and reports for ever after. `joined` is called once.
func runAgent(chosen *settings, joined func()) error {
	if chosen.token == "" {
		return errors.New("--token is required")
	}
	if chosen.serverURL == "" {
		return errors.New("--server is required")
	}
	a := &agent{settings: chosen, folder: filepath.Join(chosen.dataDir, "agent")}
	if err := os.MkdirAll(a.folder, 0o700); err != nil {
		return err
	}
	cluster := a.reach()
	a.join(cluster)
	info("Running kubelet %s", strings.Join(a.kubeletArguments(), " "))
	a.report(joined)
	return nil
}

// reach ends when the server is there and is the one that the token pins.
func (a *agent) reach() *clusterClient {
	for {
		cluster, err := connect(a.settings.serverURL, a.settings.token)
		if err == nil {
			return cluster
		}
		logError("Failed to validate connection to cluster at %s: %v", a.settings.serverURL, err)
		time.Sleep(hastened(2 * time.Second))
	}
}

// join ends when the server has given this node its certificates.
func (a *agent) join(cluster *clusterClient) {
	for {
		err := a.fetchIdentity(cluster)
		if err == nil {
			return
		}
		info("Waiting to retrieve agent configuration; server is not ready: %v", err)
		// Between one and two periods, so that the nodes of a cluster do not come all at once.
		period := hastened(5 * time.Second)
		time.Sleep(period + mathrand.N(period))
	}
}

func (a *agent) fetchIdentity(cluster *clusterClient) error {
	if _, err := cluster.get("/v1-k3s/config", nil); err != nil {
		return fmt.Errorf("failed to retrieve configuration from server: %w", err)
	}
	if name := a.settings.flannelInterface; name != "" {
		if _, err := net.InterfaceByName(name); err != nil {
			return fmt.Errorf("unable to find interface %s: %w", name, err)
		}
	}
	for _, address := range a.settings.nodeExternalIPs.split() {
		if net.ParseIP(address) == nil {
			return fmt.Errorf("invalid node-external-ip: invalid ip format '%s'", address)
		}
	}
	for _, name := range []string{"client-ca.crt", "server-ca.crt"} {
		text, err := cluster.get("/v1-k3s/"+name, nil)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(a.folder, name), text, 0o600); err != nil {
			return err
		}
	}
	if _, err := a.fetchPair(cluster, "serving-kubelet"); err != nil {
		return err
	}
	pair, err := a.fetchPair(cluster, "client-kubelet")
	if err != nil {
		return err
	}
	a.api, a.url = clientTrusting(cluster.caCerts, pair), cluster.url
	return nil
}

// fetchPair asks for a certificate in the node's name, which its password claims.
func (a *agent) fetchPair(cluster *clusterClient, name string) (*tls.Certificate, error) {
	passwordFile := below("/etc/rancher/node/password")
	password, err := ensurePassword(passwordFile)
	if err != nil {
		return nil, err
	}
	headers := http.Header{}
	headers.Set(nodeNameHeader, a.settings.nodeName)
	headers.Set(nodePasswordHeader, password)
	headers.Set(nodeIPHeader, strings.Join(a.settings.nodeIPs.split(), ","))
	text, err := cluster.get("/v1-k3s/"+name+".crt", headers)
	var refused *refusal
	if errors.As(err, &refused) && refused.code == http.StatusForbidden {
		return nil, fmt.Errorf("Node password rejected, duplicate hostname or contents of '%s' may not match server "+
			"node-passwd entry, try enabling a unique node name with the --with-node-id flag", passwordFile)
	}
	if err != nil {
		return nil, err
	}
	certificate, key := splitPair(text)
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(a.folder, name)
	return &pair, errors.Join(writeFile(path+".crt", certificate, 0o600), writeFile(path+".key", key, 0o600))
}

func ensurePassword(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err == nil || !os.IsNotExist(err) {
		return strings.TrimSpace(string(text)), err
	}
	random := make([]byte, 16)
	rand.Read(random)
	password := hex.EncodeToString(random)
	return password, writeFile(file, []byte(password+"\n"), 0o600)
}

// report registers the node, then says for ever that it is alive.
func (a *agent) report(joined func()) {
	what, path := "register node with API server", "/api/v1/nodes/"+a.settings.nodeName
	isRegistered := false
	for {
		err := a.put(path)
		switch {
		case err != nil:
			logError("Unable to %s: %v", what, err)
		case !isRegistered:
			isRegistered = true
			info("Successfully registered node %s", a.settings.nodeName)
			joined()
			what, path = "update node status, will retry", path+"/status"
		}
		time.Sleep(hastened(10 * time.Second))
	}
}

func (a *agent) put(path string) error {
	described, err := a.describe()
	if err != nil {
		return err
	}
	body, err := json.Marshal(described)
	if err != nil {
		return err
	}
	_, err = request(a.api, http.MethodPut, a.url+path, body, nil)
	return err
}
