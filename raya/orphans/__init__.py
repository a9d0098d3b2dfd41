"""`make orphans`: what a cluster has in the Hetzner account that is billed, and its price a month.

Most of it stays there when the machines go: the state volume, the volumes that the CSI driver made, addresses
and snapshots.
"""
