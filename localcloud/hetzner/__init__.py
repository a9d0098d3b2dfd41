"""The Hetzner Cloud API, below /hcloud/v1. Rules and shapes as published at https://docs.hetzner.cloud."""
