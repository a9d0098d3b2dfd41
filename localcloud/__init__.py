"""Hetzner Cloud and Google Cloud DNS/IAM on loopback, so that a cluster can be made without an account.

A stranger to the product: it imports nothing of it, and is itself tested with the vendors' own clients.
"""
