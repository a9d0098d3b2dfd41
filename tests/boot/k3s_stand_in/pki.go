package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authority is a CA of the cluster, as it lies in server/tls.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
	text        []byte
}

// ensureAuthority takes the pair that is there. When one of its files is missing the certificate is made anew (and so
// is the key, if that is the missing one): a custom CA that is incomplete is silently not the one in use.
func ensureAuthority(folder, name, commonName string) (*authority, error) {
	certificateFile, keyFile := filepath.Join(folder, name+".crt"), filepath.Join(folder, name+".key")
	if !exists(certificateFile, keyFile) {
		if err := makeAuthority(certificateFile, keyFile, commonName); err != nil {
			return nil, err
		}
	}
	text, err := os.ReadFile(certificateFile)
	if err != nil {
		return nil, err
	}
	certificates, err := parseCertificates(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", certificateFile, err)
	}
	key, err := ensureKey(keyFile)
	if err != nil {
		return nil, err
	}
	return &authority{certificates[0], key, text}, nil
}

func makeAuthority(certificateFile, keyFile, commonName string) error {
	key, err := ensureKey(keyFile)
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(0),
		Subject:               pkix.Name{CommonName: fmt.Sprintf("%s-ca@%d", commonName, now.Unix())},
		NotBefore:             now,
		NotAfter:              now.AddDate(10, 0, 0),
		KeyUsage:              x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	info("generated self-signed CA certificate CN=%s: notBefore=%s notAfter=%s", template.Subject.CommonName,
		template.NotBefore, template.NotAfter)
	return writeFile(certificateFile, encode("CERTIFICATE", der), 0o644)
}

func ensureKey(file string) (crypto.Signer, error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		key, made, err := newKey()
		if err != nil {
			return nil, err
		}
		return key, writeFile(file, made, 0o600)
	}
	if err != nil {
		return nil, err
	}
	key, err := parseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}

// issue makes a certificate that the authority signs, followed by the authority's own, and its key.
func (a *authority) issue(name pkix.Name, usage x509.ExtKeyUsage, names []string) (certificate, key []byte, err error) {
	signer, key, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      name,
		NotBefore:    a.certificate.NotBefore,
		NotAfter:     time.Now().AddDate(1, 0, 0),
		KeyUsage:     x509.KeyUsageKeyEncipherment | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{usage},
	}
	for _, name := range names {
		if address := net.ParseIP(name); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, signer.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	info("certificate %s signed by %s: notBefore=%s notAfter=%s", name, a.certificate.Subject,
		template.NotBefore.UTC(), template.NotAfter.UTC())
	return append(encode("CERTIFICATE", der), a.text...), key, nil
}

func newKey() (crypto.Signer, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	return key, encode("EC PRIVATE KEY", der), err
}

func parseCertificates(text []byte) ([]*x509.Certificate, error) {
	var certificates []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		certificates = append(certificates, certificate)
	}
	if len(certificates) == 0 {
		return nil, errors.New("data does not contain any valid RSA or ECDSA certificates")
	}
	return certificates, nil
}

func parseKey(text []byte) (crypto.Signer, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		var key any
		var err error
		switch block.Type {
		case "EC PRIVATE KEY":
			key, err = x509.ParseECPrivateKey(block.Bytes)
		case "RSA PRIVATE KEY":
			key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
		case "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		default:
			continue
		}
		if signer, isSigner := key.(crypto.Signer); isSigner && err == nil {
			return signer, nil
		}
	}
	return nil, errors.New("data does not contain a valid RSA or ECDSA private key")
}

// splitPair takes apart what a server answers with: certificates, then their key.
func splitPair(text []byte) (certificates, key []byte) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			certificates = append(certificates, pem.EncodeToMemory(block)...)
		} else {
			key = append(key, pem.EncodeToMemory(block)...)
		}
	}
	return certificates, key
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
