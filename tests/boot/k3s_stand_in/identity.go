package main

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"os"
	"path/filepath"
	"strings"
)

// identity is what a server has once its files are complete.
type identity struct {
	secret   string
	token    string
	serverCA *authority
	clientCA *authority
}

// ensureIdentity completes server/tls and server/cred: what is there is used, what is missing is made.
func ensureIdentity(serverFolder string, given credentials) (*identity, error) {
	tls := filepath.Join(serverFolder, "tls")
	made := &identity{secret: given.secret}
	var err error
	if made.clientCA, err = ensureAuthority(tls, "client-ca", "k3s-client"); err != nil {
		return nil, err
	}
	if made.serverCA, err = ensureAuthority(tls, "server-ca", "k3s-server"); err != nil {
		return nil, err
	}
	if given.caHash != "" {
		if err := compareHash(given.caHash, made.serverCA.text); err != nil {
			return nil, err
		}
	}
	others := map[string]string{"request-header-ca": "k3s-request-header", "etcd/server-ca": "etcd-server", "etcd/peer-ca": "etcd-peer"}
	for name, commonName := range others {
		if _, err := ensureAuthority(tls, name, commonName); err != nil {
			return nil, err
		}
	}
	if _, err := ensureKey(filepath.Join(tls, "service.key")); err != nil {
		return nil, err
	}
	if made.secret == "" {
		made.secret = strings.ReplaceAll(newID(), "-", "")
	}
	if made.token, err = fullToken(made.serverCA.text, "server", made.secret); err != nil {
		return nil, err
	}
	return made, writeUsers(serverFolder, made.secret)
}

// writeUsers records the join secret where k3s does too. A file that says so already keeps its time stamp, which is
// compared with the datastore's.
func writeUsers(serverFolder, secret string) error {
	path := filepath.Join(serverFolder, "cred/passwd")
	users := secret + ",node,node,k3s:agent\n" + secret + ",server,server,k3s:server\n"
	if present, err := os.ReadFile(path); err == nil && string(present) == users {
		return nil
	}
	return writeFile(path, []byte(users), 0o600)
}

// writeTokens records the token in its full form, whatever form it was given in.
func (i *identity) writeTokens(serverFolder string) error {
	token := filepath.Join(serverFolder, "token")
	if err := writeFile(token, []byte(i.token+"\n"), 0o600); err != nil {
		return err
	}
	info("Server node token is available at %s", token)
	for _, name := range []string{"node-token", "agent-token"} {
		link := filepath.Join(serverFolder, name)
		if target, err := os.Readlink(link); err == nil && target == token {
			continue
		}
		if err := os.RemoveAll(link); err != nil {
			return err
		}
		if err := os.Symlink(token, link); err != nil {
			return err
		}
	}
	info("Agent node token is available at %s", filepath.Join(serverFolder, "agent-token"))
	return nil
}

// issueAdmin makes the certificate that the administrator's kubeconfig carries.
func (i *identity) issueAdmin(serverFolder string) (certificate, key []byte, err error) {
	name := pkix.Name{CommonName: "system:admin", Organization: []string{"system:masters"}}
	return i.issueFile(i.clientCA, name, x509.ExtKeyUsageClientAuth, nil, filepath.Join(serverFolder, "tls/client-admin"))
}

// issueServing makes the certificate that the API answers with.
func (i *identity) issueServing(serverFolder string, names []string) (certificate, key []byte, err error) {
	name := pkix.Name{CommonName: "kube-apiserver"}
	path := filepath.Join(serverFolder, "tls/serving-kube-apiserver")
	return i.issueFile(i.serverCA, name, x509.ExtKeyUsageServerAuth, names, path)
}

func (i *identity) issueFile(
	by *authority, name pkix.Name, usage x509.ExtKeyUsage, names []string, path string,
) (certificate, key []byte, err error) {
	if certificate, key, err = by.issue(name, usage, names); err != nil {
		return nil, nil, err
	}
	if err := writeFile(path+".crt", certificate, 0o644); err != nil {
		return nil, nil, err
	}
	return certificate, key, writeFile(path+".key", key, 0o600)
}
