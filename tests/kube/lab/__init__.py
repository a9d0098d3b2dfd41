"""The kube lab: what k3s and Flux would apply, given to a real API server.

`tests/kube/README.md` says what is real here and what is not there at all.
"""
