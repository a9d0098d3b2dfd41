package main

import (
	"flag"
	"io"
	"strings"
)

// What k3s takes and the stand-in does not simulate: no error, and no effect. A name in neither list is unknown.
const notSimulated = `
	debug v vmodule log alsologtostderr with-node-id node-taint node-internal-dns node-external-dns
	image-credential-provider-bin-dir image-credential-provider-config docker container-runtime-endpoint
	default-runtime image-service-endpoint disable-default-registry-endpoint nonroot-devices pause-image snapshotter
	private-registry airgap-extra-registry resolv-conf flannel-conf flannel-cni-conf vpn-auth vpn-auth-file
	kube-proxy-arg protect-kernel-defaults rootless prefer-bundled-bin lb-server-port enable-pprof`

const notSimulatedOnServers = `
	supervisor-port apiserver-port apiserver-bind-address advertise-port tls-san-security cluster-cidr service-cidr
	service-node-port-range cluster-dns cluster-domain flannel-backend flannel-ipv6-masq flannel-external-ip
	egress-selector-mode servicelb-namespace write-kubeconfig write-kubeconfig-group helm-job-image agent-token
	agent-token-file cluster-init cluster-reset cluster-reset-restore-path kube-apiserver-arg etcd-arg
	kube-controller-manager-arg kube-scheduler-arg kube-cloud-controller-manager-arg kine-tls datastore-endpoint
	datastore-cafile datastore-certfile datastore-keyfile etcd-expose-metrics etcd-disable-snapshots
	etcd-snapshot-name etcd-snapshot-schedule-cron etcd-snapshot-retention etcd-snapshot-dir etcd-snapshot-compress
	default-local-storage-path disable-scheduler disable-cloud-controller disable-kube-proxy disable-network-policy
	disable-helm-controller disable-apiserver disable-controller-manager disable-etcd disable-agent embedded-registry
	supervisor-metrics system-default-registry secrets-encryption secrets-encryption-provider`

// flagSet is what one command of k3s takes; parsing fills `into`.
func flagSet(command string, into *settings) *flag.FlagSet {
	flags := flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, name := range []string{"c", "config"} {
		flags.StringVar(&into.configFile, name, below("/etc/rancher/k3s/config.yaml"), "")
	}
	for _, name := range []string{"d", "data-dir"} {
		flags.StringVar(&into.dataDir, name, below("/var/lib/rancher/k3s"), "")
	}
	for _, name := range []string{"t", "token"} {
		flags.StringVar(&into.token, name, "", "")
	}
	for _, name := range []string{"s", "server"} {
		flags.StringVar(&into.serverURL, name, "", "")
	}
	flags.StringVar(&into.tokenFile, "token-file", "", "")
	flags.StringVar(&into.nodeName, "node-name", "", "")
	flags.StringVar(&into.flannelInterface, "flannel-iface", "", "")
	flags.StringVar(&into.bindAddress, "bind-address", "", "")
	flags.BoolVar(&into.selinux, "selinux", false, "")
	flags.Var(&into.nodeIPs, "node-ip", "")
	flags.Var(&into.nodeExternalIPs, "node-external-ip", "")
	flags.Var(&into.nodeLabels, "node-label", "")
	flags.Var(&into.kubeletArguments, "kubelet-arg", "")
	ignore(flags, notSimulated)
	if command == "server" {
		flags.IntVar(&into.httpsPort, "https-listen-port", 6443, "")
		flags.StringVar(&into.advertiseAddress, "advertise-address", "", "")
		flags.StringVar(&into.kubeconfigMode, "write-kubeconfig-mode", "", "")
		flags.Var(&into.tlsSANs, "tls-san", "")
		flags.Var(&into.disabled, "disable", "")
		ignore(flags, notSimulatedOnServers)
	}
	return flags
}

func ignore(flags *flag.FlagSet, names string) {
	for _, name := range strings.Fields(names) {
		flags.Var(ignored{name}, name, "")
	}
}

// withoutUnknown drops what a server does not know, with k3s' warning. An agent does know less, and refuses it.
func withoutUnknown(flags *flag.FlagSet, arguments []string) []string {
	var known []string
	for _, argument := range arguments {
		name, _, _ := strings.Cut(argument, "=")
		if flags.Lookup(strings.TrimLeft(name, "-")) == nil {
			warn("Unknown flag %s found in config.yaml, skipping\n", name)
		} else {
			known = append(known, argument)
		}
	}
	return known
}

// list is a flag that may be given several times.
type list []string

func (l *list) String() string         { return strings.Join(*l, ",") }
func (l *list) Set(value string) error { *l = append(*l, value); return nil }

// split takes the items apart where k3s allows several in one value.
func (l list) split() []string {
	var items []string
	for _, item := range strings.Split(strings.Join(l, ","), ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

type ignored struct{ name string }

func (i ignored) String() string   { return "" }
func (i ignored) IsBoolFlag() bool { return true }
func (i ignored) Set(value string) error {
	warn("The stand-in does not simulate --%s", i.name)
	return nil
}
