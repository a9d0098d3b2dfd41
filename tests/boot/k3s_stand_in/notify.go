package main

import (
	"net"
	"os"
	"strings"
)

// notifyReady tells systemd that the service is up, if it wants to know.
func notifyReady() {
	socket := os.Getenv("NOTIFY_SOCKET")
	if socket == "" {
		return
	}
	if name, isAbstract := strings.CutPrefix(socket, "@"); isAbstract {
		socket = "\x00" + name
	}
	connection, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		logError("systemd could not be told that k3s is ready: %v", err)
		return
	}
	defer connection.Close()
	if _, err := connection.Write([]byte("READY=1\n")); err != nil {
		logError("systemd could not be told that k3s is ready: %v", err)
	}
}
