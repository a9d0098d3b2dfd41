package main

import (
	"fmt"
	"os"
	"time"
)

// The form of k3s' own log lines.
func logLine(level, message string) {
	fmt.Fprintf(os.Stderr, "time=%q level=%s msg=%q\n", time.Now().UTC().Format(time.RFC3339), level, message)
}

func info(format string, values ...any)     { logLine("info", fmt.Sprintf(format, values...)) }
func warn(format string, values ...any)     { logLine("warning", fmt.Sprintf(format, values...)) }
func logError(format string, values ...any) { logLine("error", fmt.Sprintf(format, values...)) }

func fatal(err error) {
	logLine("fatal", err.Error())
	os.Exit(1)
}
