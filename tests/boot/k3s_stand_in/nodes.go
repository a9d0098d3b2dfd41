package main

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"time"
)

// How long after its last report a node still counts as Ready.
const gracePeriod = 50 * time.Second

// node has the shape of Kubernetes' Node, as far as anybody here looks at it.
type node struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Metadata   metadata   `json:"metadata"`
	Status     nodeStatus `json:"status"`
}

type metadata struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	CreationTimestamp *time.Time        `json:"creationTimestamp,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
}

type nodeStatus struct {
	Addresses  []nodeAddress   `json:"addresses"`
	Conditions []nodeCondition `json:"conditions,omitempty"`
	NodeInfo   nodeInfo        `json:"nodeInfo"`
}

type nodeAddress struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

type nodeCondition struct {
	Type              string     `json:"type"`
	Status            string     `json:"status"`
	Reason            string     `json:"reason"`
	LastHeartbeatTime *time.Time `json:"lastHeartbeatTime"`
}

type nodeInfo struct {
	BootID         string `json:"bootID"`
	KubeletVersion string `json:"kubeletVersion"`
}

// register takes a node in, or takes it back: a machine that comes again under its name is the same node.
func (s *state) register(reported *node) {
	reported.Status.Conditions = nil
	if known := s.Nodes[reported.Metadata.Name]; known != nil {
		reported.Metadata.UID = known.Metadata.UID
		reported.Metadata.CreationTimestamp = known.Metadata.CreationTimestamp
	} else {
		now := time.Now().UTC()
		reported.Metadata.UID, reported.Metadata.CreationTimestamp = newID(), &now
	}
	s.Nodes[reported.Metadata.Name] = reported
}

// withConditions is a node as the API shows it: Ready when it reported lately, Unknown when it has not.
func withConditions(known node, lastReport time.Time) node {
	condition := nodeCondition{Type: "Ready", Status: "Unknown", Reason: "NodeStatusUnknown"}
	if !lastReport.IsZero() {
		condition.LastHeartbeatTime = &lastReport
		if time.Since(lastReport) < hastened(gracePeriod) {
			condition.Status, condition.Reason = "True", "KubeletReady"
		}
	}
	known.Status.Conditions = []nodeCondition{condition}
	return known
}

// passwordHash is what the cluster keeps of a node's password.
type passwordHash struct {
	Salt []byte `json:"salt"`
	Hash []byte `json:"hash"`
}

func hashPassword(password string, salt []byte) []byte {
	hash, err := pbkdf2.Key(sha256.New, password, salt, 4096, 32)
	if err != nil {
		panic(err) // Only sizes can be wrong, and they are constants.
	}
	return hash
}

// claimName lets the first machine of a name have it, and later ones only with the password of the first.
func (s *state) claimName(name, password string) error {
	known, isKnown := s.NodePasswords[name]
	if !isKnown {
		salt := make([]byte, saltSize)
		rand.Read(salt)
		s.NodePasswords[name] = passwordHash{salt, hashPassword(password, salt)}
		return nil
	}
	if subtle.ConstantTimeCompare(known.Hash, hashPassword(password, known.Salt)) != 1 {
		return fmt.Errorf("unable to verify hash for node '%s': hash does not match", name)
	}
	return nil
}
