package main

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"
)

var resources = map[string]string{
	"nodes": "/api/v1/nodes", "node": "/api/v1/nodes",
	"namespaces": "/api/v1/namespaces", "namespace": "/api/v1/namespaces",
	"addons": "/apis/k3s.cattle.io/v1/addons", "addon": "/apis/k3s.cattle.io/v1/addons",
	"objects": "/apis/stand-in/v1/objects", "object": "/apis/stand-in/v1/objects",
}

// kubectl reads what the cluster holds: `get RESOURCE[,RESOURCE] [NAME] [-o json] [--no-headers]`.
func kubectl(arguments []string, out, errs io.Writer) int {
	if err := get(arguments, out); err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

func get(arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("kubectl", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	output := flags.String("o", "", "")
	flags.StringVar(output, "output", "", "")
	withoutHeaders := flags.Bool("no-headers", false, "")
	config := flags.String("kubeconfig", defaultKubeconfig(), "")
	server := flags.String("server", "", "")
	words, err := interspersed(flags, arguments)
	if err != nil {
		return fmt.Errorf("error: %w", err)
	}
	if len(words) < 2 || len(words) > 3 || words[0] != "get" || (*output != "" && *output != "json") {
		return errors.New("error: the stand-in knows `kubectl get RESOURCE[,RESOURCE] [NAME] [-o json]` only")
	}
	items, err := fetch(*config, *server, strings.Split(words[1], ","))
	if err != nil {
		return err
	}
	if len(words) == 3 {
		found := itemNamed(items, words[2])
		if found == nil {
			return fmt.Errorf("Error from server (NotFound): %s %q not found", words[1], words[2])
		}
		items = []listItem{*found}
		if *output == "json" {
			return writeJSON(out, found.whole)
		}
	}
	if *output == "json" {
		return writeJSON(out, map[string]any{"apiVersion": "v1", "kind": "List", "items": wholeOf(items)})
	}
	printTable(out, items, !*withoutHeaders)
	return nil
}

// interspersed parses flags that stand anywhere, as kubectl takes them.
func interspersed(flags *flag.FlagSet, arguments []string) (words []string, err error) {
	for len(arguments) > 0 {
		if err := flags.Parse(arguments); err != nil {
			return nil, err
		}
		if arguments = flags.Args(); len(arguments) > 0 {
			words, arguments = append(words, arguments[0]), arguments[1:]
		}
	}
	return words, nil
}

func defaultKubeconfig() string {
	if given := os.Getenv("KUBECONFIG"); given != "" {
		return given
	}
	return below("/etc/rancher/k3s/k3s.yaml")
}

// listItem is an item of a list, whole and as far as a table shows it.
type listItem struct {
	whole    json.RawMessage
	Kind     string
	Metadata metadata
	Status   nodeStatus
}

func fetch(configFile, serverURL string, asked []string) ([]listItem, error) {
	text, err := os.ReadFile(configFile)
	if err != nil {
		return nil, err
	}
	var config kubeconfig
	if err := yaml.Unmarshal(text, &config); err != nil {
		return nil, err
	}
	if len(config.Clusters) == 0 || len(config.Users) == 0 {
		return nil, fmt.Errorf("error: %s names no cluster or no user", configFile)
	}
	if serverURL == "" {
		serverURL = config.Clusters[0].Cluster.Server
	}
	certificate, err := tls.X509KeyPair(unbase64(config.Users[0].User.CertificateData), unbase64(config.Users[0].User.KeyData))
	if err != nil {
		return nil, err
	}
	client := clientTrusting(unbase64(config.Clusters[0].Cluster.CAData), &certificate)
	var items []listItem
	for _, resource := range asked {
		found, err := fetchList(client, serverURL, resource)
		if err != nil {
			return nil, err
		}
		items = append(items, found...)
	}
	return items, nil
}

func fetchList(client *http.Client, serverURL, resource string) ([]listItem, error) {
	path, isKnown := resources[resource]
	if !isKnown {
		return nil, fmt.Errorf("error: the server doesn't have a resource type %q", resource)
	}
	answer, err := request(client, http.MethodGet, serverURL+path, nil, nil)
	if errors.Is(err, syscall.ECONNREFUSED) {
		address, _ := url.Parse(serverURL)
		return nil, fmt.Errorf("The connection to the server %s was refused - did you specify the right host or port?", address.Host)
	}
	if err != nil {
		return nil, err
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, err
	}
	items := make([]listItem, len(list.Items))
	for index, whole := range list.Items {
		if err := json.Unmarshal(whole, &items[index]); err != nil {
			return nil, err
		}
		items[index].whole = whole
	}
	return items, nil
}

func itemNamed(items []listItem, name string) *listItem {
	for index := range items {
		if items[index].Metadata.Name == name {
			return &items[index]
		}
	}
	return nil
}

func wholeOf(items []listItem) []json.RawMessage {
	whole := make([]json.RawMessage, len(items))
	for index := range items {
		whole[index] = items[index].whole
	}
	return whole
}

func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "    ")
	return encoder.Encode(value)
}

func base64Of(text []byte) string { return base64.StdEncoding.EncodeToString(text) }

func unbase64(text string) []byte {
	plain, _ := base64.StdEncoding.DecodeString(text) // What is no base64 is no certificate either.
	return plain
}
