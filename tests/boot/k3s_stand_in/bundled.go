package main

import (
	"embed"
	"io/fs"
	"path/filepath"
	"strings"
)

//go:embed bundled
var bundled embed.FS

// stageBundled writes the files that k3s brings itself, at every start, and whatever was done to them.
func stageBundled(folder string, chosen *settings) error {
	return fs.WalkDir(bundled, "bundled", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside := strings.TrimPrefix(strings.TrimPrefix(path, "bundled"), "/")
		if chosen.isDisabled(strings.TrimSuffix(inside, ".yaml")) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		content, err := bundled.ReadFile(path)
		if err != nil {
			return err
		}
		target := filepath.Join(folder, inside)
		info("Writing manifest: %s", target)
		return writeFile(target, content, 0o600)
	})
}
