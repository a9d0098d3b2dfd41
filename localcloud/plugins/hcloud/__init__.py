"""`hcloud`: the Hetzner Cloud provider's resources, on the local cloud."""
