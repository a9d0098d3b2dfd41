package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// What a datastore keeps of the cluster's identity, so that a server that brings nothing but the token can go on.
var bootstrapFiles = []string{
	"cred/passwd",
	"tls/client-ca.crt", "tls/client-ca.key",
	"tls/etcd/peer-ca.crt", "tls/etcd/peer-ca.key", "tls/etcd/server-ca.crt", "tls/etcd/server-ca.key",
	"tls/request-header-ca.crt", "tls/request-header-ca.key",
	"tls/server-ca.crt", "tls/server-ca.key",
	"tls/service.key",
}

// A file this much newer than the datastore's copy of it counts as changed by somebody.
const clockSkew = 3 * time.Second

type bootstrapFile struct {
	ModifiedAt time.Time `json:"timestamp"`
	Content    []byte    `json:"content"`
}

// reconcileBootstrap compares what is on the disk with what the datastore holds for this token.
func reconcileBootstrap(store *datastore, serverFolder, secret string) error {
	var sealed []byte
	var stored int
	store.read(func(s *state) { sealed, stored = s.Bootstrap[bootstrapKey(secret)], len(s.Bootstrap) })
	if stored == 0 {
		return nil
	}
	if sealed == nil {
		return errors.New("bootstrap data already found and encrypted with different token")
	}
	text, err := unseal(secret, sealed)
	if err != nil {
		return err
	}
	files := map[string]bootstrapFile{}
	if err := json.Unmarshal(text, &files); err != nil {
		return err
	}
	info("Reconciling bootstrap data between datastore and disk")
	if !hasEntries(filepath.Join(serverFolder, "tls")) || !hasEntries(filepath.Join(serverFolder, "tls/etcd")) {
		return restore(files, serverFolder)
	}
	differs, err := compareWithDisk(files, serverFolder)
	if err != nil || !differs {
		return err
	}
	warn("Updating bootstrap data on disk from datastore")
	return restore(files, serverFolder)
}

func compareWithDisk(files map[string]bootstrapFile, serverFolder string) (differs bool, err error) {
	var newer []string
	for name, file := range files {
		path := filepath.Join(serverFolder, name)
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			warn("%s doesn't exist. continuing...", path)
			differs = true
			continue
		}
		if err != nil {
			return false, err
		}
		if bytes.Equal(content, file.Content) {
			continue
		}
		facts, err := os.Stat(path)
		if err != nil {
			return false, err
		}
		if facts.ModTime().Truncate(time.Second).Sub(file.ModifiedAt.Truncate(time.Second)) >= clockSkew {
			newer = append(newer, path)
		} else {
			warn("Datastore newer than %s", path)
			differs = true
		}
	}
	if len(newer) > 0 {
		sort.Strings(newer)
		return false, errors.New(strings.Join(newer, ", ") + " newer than datastore and could cause a cluster outage. " +
			"Remove the file(s) from disk and restart to be recreated from datastore.")
	}
	return differs, nil
}

func restore(files map[string]bootstrapFile, serverFolder string) error {
	for name, file := range files {
		path := filepath.Join(serverFolder, name)
		if err := writeFile(path, file.Content, 0o600); err != nil {
			return err
		}
		if err := os.Chtimes(path, file.ModifiedAt, file.ModifiedAt); err != nil {
			return err
		}
	}
	return nil
}

// saveBootstrap puts the identity into a datastore that has none yet.
func saveBootstrap(store *datastore, serverFolder, secret string) error {
	files := map[string]bootstrapFile{}
	for _, name := range bootstrapFiles {
		path := filepath.Join(serverFolder, name)
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		facts, err := os.Stat(path)
		if err != nil {
			return err
		}
		files[name] = bootstrapFile{facts.ModTime(), content}
	}
	text, err := json.Marshal(files)
	if err != nil {
		return err
	}
	return store.change(func(s *state) error {
		if len(s.Bootstrap) == 0 {
			s.Bootstrap[bootstrapKey(secret)] = seal(secret, text)
		}
		return nil
	})
}

func bootstrapKey(secret string) string {
	digest := sha256.Sum256([]byte(secret))
	return "/bootstrap/" + hex.EncodeToString(digest[:])[:12]
}

const saltSize = 16

func seal(secret string, text []byte) []byte {
	salt := make([]byte, saltSize)
	rand.Read(salt)
	box := boxFor(secret, salt)
	nonce := make([]byte, box.NonceSize())
	rand.Read(nonce)
	return box.Seal(append(salt, nonce...), nonce, text, nil)
}

func unseal(secret string, sealed []byte) ([]byte, error) {
	if len(sealed) < saltSize {
		return nil, errors.New("the bootstrap data is cut short")
	}
	box := boxFor(secret, sealed[:saltSize])
	if len(sealed) < saltSize+box.NonceSize() {
		return nil, errors.New("the bootstrap data is cut short")
	}
	nonce := sealed[saltSize : saltSize+box.NonceSize()]
	return box.Open(nil, nonce, sealed[saltSize+box.NonceSize():], nil)
}

// boxFor panics on what cannot be: the sizes are constants.
func boxFor(secret string, salt []byte) cipher.AEAD {
	key, err := pbkdf2.Key(sha256.New, secret, salt, 4096, 32)
	if err != nil {
		panic(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	box, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return box
}

func hasEntries(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && len(entries) > 0
}
