package main

import (
	"os"
	"path/filepath"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// kubeconfig is the part of one that this program writes and reads.
type kubeconfig struct {
	APIVersion     string         `yaml:"apiVersion"`
	Kind           string         `yaml:"kind"`
	Clusters       []namedCluster `yaml:"clusters"`
	Users          []namedUser    `yaml:"users"`
	Contexts       []namedContext `yaml:"contexts"`
	CurrentContext string         `yaml:"current-context"`
}

type namedCluster struct {
	Name    string `yaml:"name"`
	Cluster struct {
		Server string `yaml:"server"`
		CAData string `yaml:"certificate-authority-data"`
	} `yaml:"cluster"`
}

type namedUser struct {
	Name string `yaml:"name"`
	User struct {
		CertificateData string `yaml:"client-certificate-data"`
		KeyData         string `yaml:"client-key-data"`
	} `yaml:"user"`
}

type namedContext struct {
	Name    string `yaml:"name"`
	Context struct {
		Cluster string `yaml:"cluster"`
		User    string `yaml:"user"`
	} `yaml:"context"`
}

// writeKubeconfigs writes the administrator's kubeconfig to where k3s keeps it and to where people look for it.
func (s *server) writeKubeconfigs(url string) error {
	certificate, key, err := s.identity.issueAdmin(s.folder)
	if err != nil {
		return err
	}
	config := kubeconfig{APIVersion: "v1", Kind: "Config", CurrentContext: "default"}
	cluster, user, context := namedCluster{Name: "default"}, namedUser{Name: "default"}, namedContext{Name: "default"}
	cluster.Cluster.Server, cluster.Cluster.CAData = url, base64Of(s.identity.serverCA.text)
	user.User.CertificateData, user.User.KeyData = base64Of(certificate), base64Of(key)
	context.Context.Cluster, context.Context.User = "default", "default"
	config.Clusters, config.Users, config.Contexts = []namedCluster{cluster}, []namedUser{user}, []namedContext{context}
	text, err := yaml.Marshal(config)
	if err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if s.settings.kubeconfigMode != "" {
		given, err := strconv.ParseUint(s.settings.kubeconfigMode, 8, 32)
		if err != nil {
			return err
		}
		mode = os.FileMode(given)
	}
	if err := writeFile(filepath.Join(s.folder, "cred/admin.kubeconfig"), text, 0o600); err != nil {
		return err
	}
	public := below("/etc/rancher/k3s/k3s.yaml")
	info("Wrote kubeconfig %s", public)
	return writeFile(public, text, mode)
}
