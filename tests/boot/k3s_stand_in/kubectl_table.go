package main

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"text/tabwriter"
)

// printTable shows nodes as kubectl does, and of anything else what it is called.
func printTable(out io.Writer, items []listItem, withHeaders bool) {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	defer table.Flush()
	if withHeaders && len(items) > 0 {
		if items[0].Kind == "Node" {
			fmt.Fprintln(table, "NAME\tSTATUS\tROLES\tVERSION")
		} else {
			fmt.Fprintln(table, "NAMESPACE\tKIND\tNAME")
		}
	}
	for _, item := range items {
		if item.Kind == "Node" {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", item.Metadata.Name, readiness(item.Status), roles(item.Metadata.Labels),
				item.Status.NodeInfo.KubeletVersion)
		} else {
			fmt.Fprintf(table, "%s\t%s\t%s\n", item.Metadata.Namespace, item.Kind, item.Metadata.Name)
		}
	}
}

func readiness(status nodeStatus) string {
	for _, condition := range status.Conditions {
		if condition.Type == "Ready" && condition.Status == "True" {
			return "Ready"
		}
	}
	return "NotReady"
}

func roles(labels map[string]string) string {
	var found []string
	for label := range labels {
		if role, isRole := strings.CutPrefix(label, "node-role.kubernetes.io/"); isRole {
			found = append(found, role)
		}
	}
	if len(found) == 0 {
		return "<none>"
	}
	sort.Strings(found)
	return strings.Join(found, ",")
}
