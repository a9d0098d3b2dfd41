"""Stand-in Pulumi resource plugins for `hcloud`, `gcp`, `random` and `tls`.

They serve the local cloud only (see guard.py) and live in the PULUMI_HOME that install.py fills.
"""
