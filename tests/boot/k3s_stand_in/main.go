// A stand-in for k3s, for the boot lab: it reads k3s' configuration, keeps a datastore, joins nodes and watches the
// auto-deploy directory as k3s is documented to, and runs no Kubernetes at all. README.md says what it copies.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const version = "v0.0.0+stand-in"

const disclaimer = "This is a stand-in for k3s, made for tests: no Kubernetes is in it, and nothing it accepts is ever run"

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "k3s (a stand-in for tests): server, agent, kubectl or --version")
		os.Exit(2)
	}
	switch command := os.Args[1]; command {
	case "--version", "-v":
		fmt.Printf("k3s version %s\n%s\n", version, disclaimer)
	case "kubectl":
		os.Exit(kubectl(os.Args[2:], os.Stdout, os.Stderr))
	case "server", "agent":
		logLine("warning", disclaimer)
		if err := run(command, os.Args[2:]); err != nil {
			fatal(err)
		}
	default:
		fmt.Fprintf(os.Stderr, "No help topic for '%s'\n", command)
		os.Exit(3)
	}
}

// run ends with an error, or not at all: a signal ends the process.
func run(command string, arguments []string) error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		info("Shutting down: %s", <-signals)
		os.Exit(0)
	}()
	chosen, err := readSettings(command, arguments)
	if err != nil {
		return err
	}
	if os.Getuid() != 0 && os.Getenv(rootVariable) == "" {
		return fmt.Errorf("%s must run as root, or with --rootless", command)
	}
	if err := chosen.complete(); err != nil {
		return err
	}
	info("Starting k3s %s %s", command, version)
	if command == "server" {
		return runServer(chosen)
	}
	return runAgent(chosen, func() {
		info("k3s agent is up and running")
		notifyReady()
	})
}
