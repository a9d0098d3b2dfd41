package main

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// describe is what the node says of itself.
func (a *agent) describe() (*node, error) {
	described := &node{APIVersion: "v1", Kind: "Node"}
	described.Metadata = metadata{Name: a.settings.nodeName, Labels: a.labels()}
	for _, address := range a.settings.nodeIPs.split() {
		if !isOwn(address) {
			return nil, fmt.Errorf("failed to validate nodeIP: node IP: %q not found in the host's network interfaces", address)
		}
		described.Status.Addresses = append(described.Status.Addresses, nodeAddress{"InternalIP", address})
	}
	for _, address := range a.settings.nodeExternalIPs.split() {
		described.Status.Addresses = append(described.Status.Addresses, nodeAddress{"ExternalIP", address})
	}
	described.Status.Addresses = append(described.Status.Addresses, nodeAddress{"Hostname", a.settings.nodeName})
	bootID, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return nil, err
	}
	described.Status.NodeInfo = nodeInfo{BootID: strings.TrimSpace(string(bootID)), KubeletVersion: version}
	return described, nil
}

func (a *agent) labels() map[string]string {
	labels := map[string]string{
		"kubernetes.io/hostname":           a.settings.nodeName,
		"kubernetes.io/os":                 "linux",
		"node.kubernetes.io/instance-type": "k3s",
	}
	for _, label := range a.settings.nodeLabels {
		key, value, _ := strings.Cut(label, "=")
		labels[key] = value
	}
	return labels
}

func (a *agent) kubeletArguments() []string {
	arguments := []string{"--hostname-override=" + a.settings.nodeName}
	for _, argument := range a.settings.kubeletArguments {
		arguments = append(arguments, "--"+argument)
	}
	return arguments
}

// isOwn is false for an address that the machine does not have (yet): a kubelet does not report such a one.
func isOwn(address string) bool {
	wanted := net.ParseIP(address)
	if wanted.IsLoopback() {
		return true // All of 127.0.0.0/8 is the machine's own, and no interface lists it.
	}
	present, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, candidate := range present {
		if network, isNetwork := candidate.(*net.IPNet); isNetwork && network.IP.Equal(wanted) {
			return true
		}
	}
	return false
}
