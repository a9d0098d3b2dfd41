package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// configArguments is what the config file and its drop-ins say, as command line arguments that go before the real
// ones. Drop-ins follow in alphabetical order; a later value replaces an earlier one, `key+` appends to it.
func configArguments(file string) ([]string, error) {
	files, err := dropIns(file + ".d")
	if err != nil {
		return nil, err
	}
	if exists(file) {
		files = append([]string{file}, files...)
	}
	var order []string
	values := map[string][]string{}
	for _, file := range files {
		entries, err := readConfigFile(file)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			key, appends := strings.CutSuffix(entry.key, "+")
			if _, seen := values[key]; !seen {
				order = append(order, key)
			}
			if appends {
				values[key] = append(values[key], entry.values...)
			} else {
				values[key] = entry.values
			}
		}
	}
	var arguments []string
	for _, key := range order {
		for _, value := range values[key] {
			arguments = append(arguments, "--"+key+"="+value)
		}
	}
	return arguments, nil
}

// dropIns skips what has no known extension: a file that is still being written has none.
func dropIns(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		extension := strings.ToLower(filepath.Ext(entry.Name()))
		if !entry.IsDir() && (extension == ".yaml" || extension == ".yml") {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	return files, nil
}

type configEntry struct {
	key    string
	values []string
}

// Mapping nodes and not a map: the order of the keys is the order of the arguments.
func readConfigFile(file string) ([]configEntry, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	mapping := document.Content[0]
	if mapping.Kind != yaml.MappingNode {
		return nil, errors.New("yaml: " + file + " is not a mapping of flags to values")
	}
	var entries []configEntry
	for index := 0; index < len(mapping.Content); index += 2 {
		key, value := mapping.Content[index], mapping.Content[index+1]
		entry := configEntry{key: key.Value}
		if value.Kind == yaml.SequenceNode {
			for _, item := range value.Content {
				entry.values = append(entry.values, item.Value)
			}
		} else if value.Tag == "!!null" {
			entry.values = []string{""}
		} else {
			entry.values = []string{value.Value}
		}
		entries = append(entries, entry)
	}
	return entries, nil
}
