package main

import (
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Set by tests only. Without them the stand-in is where k3s is, and as slow.
const (
	// A folder that stands for /.
	rootVariable = "STAND_IN_ROOT"
	// By how much every period is shortened.
	hasteVariable = "STAND_IN_HASTE"
)

// below is an absolute path as it is on a machine, moved into the folder that stands for /.
func below(absolute string) string {
	return filepath.Join(os.Getenv(rootVariable), absolute)
}

// hastened is a period of k3s', shortened for a test that cannot wait so long.
func hastened(period time.Duration) time.Duration {
	haste, err := strconv.Atoi(os.Getenv(hasteVariable))
	if err != nil || haste < 1 {
		return period
	}
	return period / time.Duration(haste)
}

// writeFile puts a file in place whole or not at all, also when the power goes: a datastore lives on that.
func writeFile(path string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	defer temporary.Close()
	if _, err := temporary.Write(content); err != nil {
		return err
	}
	if err := temporary.Chmod(mode); err != nil {
		return err
	}
	if err := temporary.Sync(); err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

func exists(paths ...string) bool {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return false
		}
	}
	return true
}
