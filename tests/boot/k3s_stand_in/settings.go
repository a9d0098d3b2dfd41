package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"
)

type settings struct {
	configFile, dataDir, token, tokenFile, serverURL       string
	nodeName, flannelInterface, bindAddress                string
	advertiseAddress, kubeconfigMode                       string
	httpsPort                                              int
	selinux                                                bool
	nodeIPs, nodeExternalIPs, nodeLabels, kubeletArguments list
	tlsSANs, disabled                                      list
}

// readSettings takes the command line after what the config files say, so that it wins.
func readSettings(command string, arguments []string) (*settings, error) {
	file, err := configFileOf(command, arguments)
	if err != nil {
		return nil, err
	}
	configured, err := configArguments(file)
	if err != nil {
		return nil, err
	}
	chosen := &settings{}
	flags := flagSet(command, chosen)
	if command == "server" {
		configured = withoutUnknown(flags, configured)
	}
	return chosen, flags.Parse(append(configured, arguments...))
}

// The arguments are read twice: which file the first arguments come from is said by the last ones.
func configFileOf(command string, arguments []string) (string, error) {
	asked := &settings{}
	err := flagSet(command, asked).Parse(arguments)
	return asked.configFile, err
}

// complete reads what the settings only point at, and refuses what cannot work.
func (s *settings) complete() error {
	if s.tokenFile != "" {
		token, err := waitForFile(s.tokenFile)
		if err != nil {
			return err
		}
		s.token = token
	}
	if s.nodeName == "" {
		name, err := os.Hostname()
		if err != nil {
			return err
		}
		s.nodeName = strings.ToLower(name)
	}
	for _, address := range s.nodeIPs.split() {
		if net.ParseIP(address) == nil {
			return fmt.Errorf("invalid node-ip: invalid ip format '%s'", address)
		}
	}
	if len(s.nodeIPs.split()) == 0 {
		address, err := s.ownAddress()
		if err != nil {
			return err
		}
		s.nodeIPs = list{address}
	}
	return nil
}

// waitForFile gives a token file four minutes to appear, as k3s does.
func waitForFile(path string) (string, error) {
	for started := time.Now(); time.Since(started) < hastened(4*time.Minute); time.Sleep(hastened(2 * time.Second)) {
		text, err := os.ReadFile(path)
		if err == nil {
			return strings.TrimSpace(string(text)), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		info("Waiting for %s to be available\n", path)
	}
	return "", errors.New("Timeout while trying to read the file")
}

// ownAddress is the first IPv4 address of the interface for the overlay network, or of any that is no loopback.
func (s *settings) ownAddress() (string, error) {
	addresses, err := net.InterfaceAddrs()
	if s.flannelInterface != "" {
		var device *net.Interface
		if device, err = net.InterfaceByName(s.flannelInterface); err == nil {
			addresses, err = device.Addrs()
		}
	}
	if err != nil {
		return "", err
	}
	for _, address := range addresses {
		network, isNetwork := address.(*net.IPNet)
		if isNetwork && network.IP.To4() != nil && (s.flannelInterface != "" || !network.IP.IsLoopback()) {
			return network.IP.String(), nil
		}
	}
	return "", errors.New("no default routes found and no node-ip given")
}

func (s *settings) isDisabled(name string) bool {
	for _, disabled := range s.disabled.split() {
		if disabled == name {
			return true
		}
	}
	return false
}
