package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"
)

// state is all that the cluster knows. It outlives the machine, and whoever opens it again must find the same cluster.
type state struct {
	Note string `json:"note"`
	// ClusterID is made once, when the datastore is founded: two answers with one id come from one datastore.
	ClusterID     string                  `json:"clusterId"`
	FoundedAt     time.Time               `json:"foundedAt"`
	Bootstrap     map[string][]byte       `json:"bootstrap"`
	NodePasswords map[string]passwordHash `json:"nodePasswords"`
	Nodes         map[string]*node        `json:"nodes"`
	Addons        map[string]*addon       `json:"addons"`
	Objects       map[string]*object      `json:"objects"`
}

// datastore is server/db/state.db: whole on the disk after every change.
type datastore struct {
	path  string
	mutex sync.Mutex
	state state
}

func openDatastore(path string) (*datastore, error) {
	opened := &datastore{path: path}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return opened, opened.found()
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &opened.state); err != nil {
		return nil, fmt.Errorf("%s is no datastore of the stand-in: %w", path, err)
	}
	return opened, nil
}

func (d *datastore) found() error {
	d.state = state{
		Note:          disclaimer,
		ClusterID:     newID(),
		FoundedAt:     time.Now().UTC(),
		Bootstrap:     map[string][]byte{},
		NodePasswords: map[string]passwordHash{},
		Nodes:         map[string]*node{},
		Addons:        map[string]*addon{},
		Objects:       map[string]*object{},
	}
	info("Founding a datastore: cluster %s", d.state.ClusterID)
	return d.save()
}

// change does something to the state and has it on the disk before it returns, also when the change was refused
// half way: what happened until then has happened.
func (d *datastore) change(what func(*state) error) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	refused := what(&d.state)
	return errors.Join(refused, d.save())
}

func (d *datastore) read(what func(*state)) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	what(&d.state)
}

func (d *datastore) save() error {
	text, err := json.MarshalIndent(d.state, "", " ")
	if err != nil {
		return err
	}
	return writeFile(d.path, append(text, '\n'), 0o600)
}

func newID() string {
	random := make([]byte, 16)
	rand.Read(random) // Never fails: crypto/rand ends the program instead.
	return fmt.Sprintf("%x-%x-%x-%x-%x", random[:4], random[4:6], random[6:8], random[8:10], random[10:])
}
