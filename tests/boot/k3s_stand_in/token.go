package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

const tokenPrefix = "K10"

var kubeadmToken = regexp.MustCompile(`^[a-z0-9]{6}\.[a-z0-9]{16}$`)

// credentials is a join token taken apart. A bare secret has neither a hash nor a user.
type credentials struct{ caHash, user, secret string }

// parseToken reads K10<hash of the CA>::<user>:<secret>, or a bare secret.
func parseToken(token string) (credentials, error) {
	var parsed credentials
	if token == "" {
		return parsed, errors.New("token must not be empty")
	}
	full, isFull := strings.CutPrefix(token, tokenPrefix)
	if !isFull {
		if kubeadmToken.MatchString(token) {
			return parsed, errors.New("the stand-in does not simulate bootstrap tokens")
		}
		parsed.secret = token
		return parsed, nil
	}
	if hash, rest, found := strings.Cut(full, "::"); found {
		if hash != "" && len(hash) != 2*sha256.Size {
			return parsed, errors.New("invalid token CA hash length")
		}
		parsed.caHash, full = hash, rest
	}
	user, secret, found := strings.Cut(full, ":")
	if !found || secret == "" {
		return parsed, errors.New("invalid token format")
	}
	parsed.user, parsed.secret = user, secret
	return parsed, nil
}

// serverSecret is the part of a server's token that the datastore is bound to.
func serverSecret(token string) (credentials, error) {
	parsed, err := parseToken(token)
	if err != nil {
		return parsed, errors.New("failed to normalize server token; must be in format K10<CA-HASH>::<USERNAME>:<PASSWORD> or <PASSWORD>")
	}
	return parsed, nil
}

func fullToken(caCerts []byte, user, secret string) (string, error) {
	hash, err := hashOf(caCerts)
	return tokenPrefix + hash + "::" + user + ":" + secret, err
}

// hashOf is the hash that a token pins: of the file's bytes when it holds one certificate, else of the root
// certificate that the first one leads to, so that an intermediate can be renewed.
func hashOf(caCerts []byte) (string, error) {
	certificates, err := parseCertificates(caCerts)
	if err != nil {
		return "", err
	}
	hashed := caCerts
	if len(certificates) > 1 {
		if root := rootOf(certificates); root != nil {
			hashed = root.Raw
		}
	}
	digest := sha256.Sum256(hashed)
	return hex.EncodeToString(digest[:]), nil
}

func rootOf(certificates []*x509.Certificate) *x509.Certificate {
	options := x509.VerifyOptions{Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool()}
	for _, certificate := range certificates[1:] {
		if len(certificate.AuthorityKeyId) == 0 || bytes.Equal(certificate.AuthorityKeyId, certificate.SubjectKeyId) {
			options.Roots.AddCert(certificate)
		} else {
			options.Intermediates.AddCert(certificate)
		}
	}
	chains, err := certificates[0].Verify(options)
	if err != nil {
		return nil
	}
	return chains[0][len(chains[0])-1]
}

func compareHash(pinned string, caCerts []byte) error {
	served, err := hashOf(caCerts)
	if err != nil {
		return err
	}
	if pinned != served {
		return fmt.Errorf("token CA hash does not match the Cluster CA certificate hash: %s != %s", pinned, served)
	}
	return nil
}
