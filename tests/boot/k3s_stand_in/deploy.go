package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"
)

// addon is what k3s remembers of a file in its auto-deploy directory, under the file's name up to the first dot.
type addon struct {
	Source   string `json:"source"`
	Checksum string `json:"checksum"`
}

// deployer watches the auto-deploy directory.
type deployer struct {
	folder   string
	settings *settings
	store    *datastore
	// When each deployed file was changed: of the file itself, or of the link to it.
	changedAt map[string]time.Time
	// Apply everything, changed or not: at each start, until it has worked once.
	force bool
}

func newDeployer(s *server) *deployer {
	folder := filepath.Join(s.folder, "manifests")
	return &deployer{folder, s.settings, s.store, map[string]time.Time{}, true}
}

func (d *deployer) watch() {
	for {
		if err := d.scan(); err != nil {
			logError("Failed to process config: %v", err)
		} else {
			d.force = false
		}
		time.Sleep(hastened(15 * time.Second))
	}
}

// scan looks at every file that is there. What has vanished is not there, so nothing happens to what it deployed.
func (d *deployer) scan() error {
	files, err := manifestFiles(d.folder)
	if err != nil {
		return err
	}
	skipped := map[string]bool{}
	paths := make([]string, 0, len(files))
	for path := range files {
		paths = append(paths, path)
		if name, isMark := strings.CutSuffix(filepath.Base(path), ".skip"); isMark {
			skipped[name] = true
		}
	}
	sort.Strings(paths)
	var failures []error
	for _, path := range paths {
		found := files[path]
		switch {
		case found.facts.IsDir():
		case d.isDisabled(path):
			if err := d.remove(path, found.isOwn); err != nil {
				failures = append(failures, fmt.Errorf("failed to delete %s: %w", path, err))
			}
		case !isManifest(path) || strings.HasPrefix(filepath.Base(path), ".") || skipped[filepath.Base(path)]:
		case !d.force && found.facts.ModTime().Equal(d.changedAt[path]):
		default:
			if err := d.deploy(path); err != nil {
				failures = append(failures, fmt.Errorf("failed to process %s: %w", path, err))
			} else {
				d.changedAt[path] = found.facts.ModTime()
			}
		}
	}
	return errors.Join(failures...)
}

type manifestFile struct {
	facts os.FileInfo
	// False for a file behind a link to a folder: it is somebody else's, and never removed.
	isOwn bool
}

// manifestFiles is everything below the folder. Links to folders are followed from the folder itself, not from
// behind another link. A link that leads nowhere ends the walk, and with it the whole scan.
func manifestFiles(folder string) (map[string]manifestFile, error) {
	files := map[string]manifestFile{}
	err := filepath.Walk(folder, func(path string, facts os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if facts.Mode()&os.ModeSymlink != 0 {
			target, err := os.Stat(path)
			if err != nil {
				return err
			}
			if target.IsDir() {
				return addLinkedFolder(path, files)
			}
		}
		files[path] = manifestFile{facts, true}
		return nil
	})
	return files, err
}

func addLinkedFolder(link string, files map[string]manifestFile) error {
	folder, err := filepath.EvalSymlinks(link)
	if err != nil {
		return err
	}
	return filepath.Walk(folder, func(path string, facts os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(folder, path)
		files[filepath.Join(link, inside)] = manifestFile{facts, false}
		return err
	})
}

func isManifest(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(path)))
}

// isDisabled goes by the file's name, or by that of a folder it lies in.
func (d *deployer) isDisabled(path string) bool {
	inside := strings.TrimPrefix(path, d.folder+string(os.PathSeparator))
	for folder := filepath.Dir(inside); folder != "."; folder = filepath.Dir(folder) {
		if d.settings.isDisabled(folder) {
			return true
		}
	}
	return isManifest(path) && d.settings.isDisabled(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
}

func addonName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

// deploy applies one file: its objects are made or changed, and what the same addon had deployed before and the file
// no longer holds is deleted. Only a file that was applied counts as seen.
func (d *deployer) deploy(path string) error {
	name := addonName(path)
	var known addon
	err := d.store.change(func(s *state) error {
		if s.Addons[name] == nil {
			s.Addons[name] = &addon{}
		}
		s.Addons[name].Source = path
		known = *s.Addons[name]
		return nil
	})
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return d.event(name, "Warning", "ReadManifestFailed", fmt.Sprintf("Read manifest at %q failed", path), err)
	}
	digest := sha256.Sum256(content)
	checksum := hex.EncodeToString(digest[:])
	if !d.force && checksum == known.Checksum {
		return nil
	}
	objects, err := parseManifest(content)
	if err != nil {
		return d.event(name, "Warning", "ParseManifestFailed", fmt.Sprintf("Parse manifest at %q failed", path), err)
	}
	err = d.store.change(func(s *state) error {
		s.apply(name, path, objects)
		s.Addons[name].Checksum = checksum
		return nil
	})
	if err != nil {
		return err
	}
	return d.event(name, "Normal", "AppliedManifest", fmt.Sprintf("Applied manifest at %q", path), nil)
}

// remove takes a disabled file's objects down, and the file with them.
func (d *deployer) remove(path string, isOwn bool) error {
	name := addonName(path)
	if err := d.store.change(func(s *state) error { s.apply(name, path, nil); return nil }); err != nil {
		return err
	}
	if isOwn {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	d.event(name, "Normal", "DeletingManifest", fmt.Sprintf("Deleting manifest at %q", path), nil)
	return d.store.change(func(s *state) error { delete(s.Addons, name); return nil })
}

// event is a line in the log here, in the form in which Kubernetes logs its events. It gives the cause back.
func (d *deployer) event(addon, kind, reason, message string, cause error) error {
	if cause != nil {
		message += ": " + cause.Error()
	}
	info("Event(v1.ObjectReference{Kind:\"Addon\", Namespace:\"kube-system\", Name:%q}): type: '%s' reason: '%s' %s",
		addon, kind, reason, message)
	return cause
}
