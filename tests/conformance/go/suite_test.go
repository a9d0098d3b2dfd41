// Package conformance tests a Hetzner Cloud API with hcloud-go: the real one, or one that claims to be like it.
//
// HCLOUD_ENDPOINT names the API and HCLOUD_TOKEN opens it. There is no default: a test run that makes servers in
// somebody's account must have been meant. HCLOUD_SERVER_TYPE is ordered instead of the cheapest type.
// docs/conformance.md says what the suite makes.
package conformance

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

const (
	// The Python suite uses the same label, so that one command finds what either of them left.
	runLabel = "conformance-run"
	// Nothing at Hetzner takes longer; a suite that hangs must end.
	longestRun = 30 * time.Minute
)

var (
	client *hcloud.Client
	ctx    context.Context
	run    = newRun()
	number atomic.Int64
)

func TestMain(m *testing.M) {
	os.Exit(runSuite(m))
}

func runSuite(m *testing.M) int {
	endpoint, token := os.Getenv("HCLOUD_ENDPOINT"), os.Getenv("HCLOUD_TOKEN")
	if endpoint == "" || token == "" {
		fmt.Fprintln(os.Stderr, "set HCLOUD_ENDPOINT (https://api.hetzner.cloud/v1 is the real one) and HCLOUD_TOKEN")
		return 2
	}
	var cancel context.CancelFunc
	ctx, cancel = context.WithTimeout(context.Background(), longestRun)
	defer cancel()
	client = hcloud.NewClient(
		hcloud.WithEndpoint(endpoint),
		hcloud.WithToken(token),
		hcloud.WithApplication("raya-conformance", ""),
		hcloud.WithPollOpts(hcloud.PollOpts{BackoffFunc: hcloud.ConstantBackoff(pollInterval(endpoint))}),
	)
	status := m.Run()
	if err := removeLentServers(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	left, err := removeMarked(runLabel + "=" + run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	if len(left) > 0 {
		fmt.Fprintf(os.Stderr, "the tests left these behind, which are removed now: %v\n", left)
		status = 1
	}
	return status
}

// pollInterval is short for an API on this machine, whose actions take hundredths of a second.
func pollInterval(endpoint string) time.Duration {
	if strings.HasPrefix(endpoint, "http://127.0.0.1:") {
		return 20 * time.Millisecond
	}
	return time.Second
}

func newRun() string {
	id := make([]byte, 3)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// newName is a name that nothing else in the account has.
func newName(stem string) string {
	return fmt.Sprintf("conf-%s-%d-%s", run, number.Add(1), stem)
}

// marked are the labels of everything that this run makes, with more of a test's own.
func marked(more map[string]string) map[string]string {
	labels := map[string]string{runLabel: run}
	for key, value := range more {
		labels[key] = value
	}
	return labels
}

// refused fails the test unless the API refused with this code.
func refused(t *testing.T, err error, code hcloud.ErrorCode) {
	t.Helper()
	if !hcloud.IsError(err, code) {
		t.Fatalf("got %v, want a refusal with the code %s", err, code)
	}
}

// allowed fails the test when the API refused.
func allowed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// await waits for the end of actions, as whoever uses the client does.
func await(t *testing.T, actions ...*hcloud.Action) {
	t.Helper()
	allowed(t, client.Action.WaitFor(ctx, actions...))
}

// waiter has the one method done, so that a call can be waited for in one line: waiting(t).done(client.X(...)).
type waiter struct{ t *testing.T }

func waiting(t *testing.T) waiter { return waiter{t} }

func (w waiter) done(action *hcloud.Action, _ *hcloud.Response, err error) {
	w.t.Helper()
	allowed(w.t, err)
	await(w.t, action)
}

func (w waiter) allDone(actions []*hcloud.Action, _ *hcloud.Response, err error) {
	w.t.Helper()
	allowed(w.t, err)
	await(w.t, actions...)
}

// equal fails the test unless both are the same.
func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}
