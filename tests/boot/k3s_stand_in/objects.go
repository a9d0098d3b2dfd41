package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"
)

// pruneLabel with "false" keeps an object when its file no longer holds it.
const pruneLabel = "objectset.rio.cattle.io/prune"

// object is all that is kept of something deployed: what it is, whose it is, whether it changed, and whether it stays.
type object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	Addon      string `json:"addon"`
	File       string `json:"file"`
	Digest     string `json:"digest"`
	Stays      bool   `json:"stays"`
}

// key leaves the version out: another version of a kind is the same object.
func (o *object) key() string {
	group, _, hasGroup := strings.Cut(o.APIVersion, "/")
	if !hasGroup {
		group = ""
	}
	return strings.Join([]string{group, o.Kind, o.Namespace, o.Name}, "/")
}

func (o *object) String() string {
	return fmt.Sprintf("%s, Kind=%s %s/%s", o.APIVersion, o.Kind, o.Namespace, o.Name)
}

// apply makes the addon's objects those of its file. An object that another addon had deployed is taken over: the
// last one to apply it owns it, and takes it down with it.
func (s *state) apply(addon, file string, objects []*object) {
	wanted := map[string]bool{}
	for _, applied := range objects {
		wanted[applied.key()] = true
		if s.Objects[applied.key()] == nil {
			info("DesiredSet - Created %s for kube-system/%s", applied, addon)
		}
		applied.Addon, applied.File = addon, file
		s.Objects[applied.key()] = applied
	}
	var pruned []string
	for key, present := range s.Objects {
		if present.Addon == addon && !wanted[key] && !present.Stays {
			pruned = append(pruned, key)
		}
	}
	sort.Strings(pruned)
	for _, key := range pruned {
		info("DesiredSet - Delete %s for kube-system/%s", s.Objects[key], addon)
		delete(s.Objects, key)
	}
}

// parseManifest reads every document of a file. One that cannot be read makes the file as a whole unreadable;
// documents that hold nothing are nothing.
func parseManifest(content []byte) ([]*object, error) {
	var objects []*object
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var document any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("error converting YAML to JSON: %w", err)
		}
		if document == nil {
			continue
		}
		found, err := toObjects(document)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
}

// toObjects is one object, or those of a List.
func toObjects(document any) ([]*object, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("error converting YAML to JSON: %w", err)
	}
	var header struct {
		APIVersion string
		Kind       string
		Metadata   struct {
			Name, Namespace string
			Labels          map[string]string
		}
		Items []any
	}
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, err
	}
	if header.Kind == "" || header.APIVersion == "" {
		return nil, fmt.Errorf("Object 'Kind' or 'apiVersion' is missing in '%.80s'", text)
	}
	if strings.HasSuffix(header.Kind, "List") && header.Items != nil {
		var objects []*object
		for _, item := range header.Items {
			found, err := toObjects(item)
			if err != nil {
				return nil, err
			}
			objects = append(objects, found...)
		}
		return objects, nil
	}
	if header.Metadata.Name == "" {
		return nil, fmt.Errorf("resource name may not be empty: a %s", header.Kind)
	}
	digest := sha256.Sum256(text)
	return []*object{{
		APIVersion: header.APIVersion, Kind: header.Kind,
		Namespace: header.Metadata.Namespace, Name: header.Metadata.Name,
		Digest: hex.EncodeToString(digest[:]),
		Stays:  header.Metadata.Labels[pruneLabel] == "false",
	}}, nil
}
