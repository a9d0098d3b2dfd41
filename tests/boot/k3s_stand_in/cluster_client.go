package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const requestTimeout = 10 * time.Second

// clusterClient speaks to one server, which it has made sure of first.
type clusterClient struct {
	url     string
	caCerts []byte
	http    *http.Client
	user    string
	secret  string
}

// connect makes sure of the server before anything secret is sent: its CA must be the one that the token pins.
func connect(serverURL, token string) (*clusterClient, error) {
	pinned, err := parseToken(token)
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(serverURL)
	if err != nil {
		return nil, fmt.Errorf("Invalid server url, failed to parse: %s: %w", serverURL, err)
	}
	if address.Scheme != "https" {
		return nil, errors.New("only https:// URLs are supported, invalid scheme: " + serverURL)
	}
	base := strings.TrimRight(serverURL, "/")
	caCerts, err := fetchCACerts(base + "/cacerts")
	if err != nil {
		return nil, err
	}
	switch {
	case pinned.caHash != "" && caCerts == nil:
		warn("Cluster CA certificate is trusted by the host CA bundle. Token CA hash will not be validated.")
	case pinned.caHash == "" && caCerts != nil:
		warn("Cluster CA certificate is not trusted by the host CA bundle, but the token does not include a CA hash. " +
			"Use the full token from the server's node-token file to enable Cluster CA validation.")
	case pinned.caHash != "":
		if err := compareHash(pinned.caHash, caCerts); err != nil {
			return nil, err
		}
	}
	return &clusterClient{base, caCerts, clientTrusting(caCerts, nil), "node", pinned.secret}, nil
}

// fetchCACerts is nil when the machine itself trusts the server already.
func fetchCACerts(url string) ([]byte, error) {
	if _, err := request(clientTrusting(nil, nil), http.MethodGet, url, nil, nil); err == nil {
		return nil, nil
	}
	unchecked := clientOf(&tls.Config{InsecureSkipVerify: true})
	caCerts, err := request(unchecked, http.MethodGet, url, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("failed to get CA certs: %w", err)
	}
	if _, err := request(clientTrusting(caCerts, nil), http.MethodGet, url, nil, nil); err != nil {
		return nil, fmt.Errorf("CA cert validation failed: %w", err)
	}
	return caCerts, nil
}

// clientTrusting trusts the given CAs, or the machine's when there are none.
func clientTrusting(caCerts []byte, certificate *tls.Certificate) *http.Client {
	config := &tls.Config{}
	if len(caCerts) > 0 {
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM(caCerts)
	}
	if certificate != nil {
		config.Certificates = []tls.Certificate{*certificate}
	}
	return clientOf(config)
}

// One connection a request: a server that was replaced must not be found by luck.
func clientOf(config *tls.Config) *http.Client {
	return &http.Client{
		Timeout:   requestTimeout,
		Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: config},
	}
}

func (c *clusterClient) get(path string, headers http.Header) ([]byte, error) {
	return request(c.http, http.MethodGet, c.url+path, nil, func(asked *http.Request) {
		asked.SetBasicAuth(c.user, c.secret)
		for name, values := range headers {
			asked.Header[name] = values
		}
	})
}

// refusal is an answer of the server's that is no success.
type refusal struct {
	url    string
	status string
	code   int
}

func (r *refusal) Error() string { return r.url + ": " + r.status }

func request(client *http.Client, method, url string, body []byte, prepare func(*http.Request)) ([]byte, error) {
	asked, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if prepare != nil {
		prepare(asked)
	}
	answer, err := client.Do(asked)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return nil, &refusal{url, answer.Status, answer.StatusCode}
	}
	return io.ReadAll(answer.Body)
}
