"""The Pulumi program: a k3s cluster on Fedora CoreOS at Hetzner Cloud, its names in Google Cloud DNS."""
