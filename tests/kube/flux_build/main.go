// Command flux_build prints what Flux' kustomize-controller would apply for a Kustomization: the folder built and the
// variables put in, by the library that the controller is made of. The variables come from the API server that
// KUBECONFIG names. What is missing there is an error here, where the controller would put in nothing.
//
//	flux_build KUSTOMIZATION.yaml ROOT FOLDER
//
// ROOT is the repository, of which kustomize reads nothing outside; FOLDER is spec.path in it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "flux_build KUSTOMIZATION.yaml ROOT FOLDER")
		os.Exit(2)
	}
	if err := build(context.Background(), os.Stdout, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build(ctx context.Context, out io.Writer, file, root, folder string) error {
	kustomization, err := read(file)
	if err != nil {
		return err
	}
	api, err := connect()
	if err != nil {
		return err
	}
	if _, err := kustomize.NewGenerator(root, kustomization).WriteFile(folder); err != nil {
		return err
	}
	// As the controller is set up unless it is told otherwise: a base may lie elsewhere.
	built, err := kustomize.SecureBuild(root, folder, true)
	if err != nil {
		return err
	}
	for _, object := range built.Resources() {
		substituted, err := kustomize.SubstituteVariables(ctx, api, kustomization, object, kustomize.SubstituteWithStrict(true))
		if err != nil {
			return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
		}
		// Nothing comes back for what says that it has no variables.
		if substituted == nil {
			substituted = object
		}
		text, err := substituted.AsYAML()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}

func read(file string) (unstructured.Unstructured, error) {
	content := map[string]any{}
	text, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(text, &content)
	}
	return unstructured.Unstructured{Object: content}, err
}

func connect() (client.Client, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	return client.New(config, client.Options{})
}
