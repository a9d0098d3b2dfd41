"""`gcp`: Cloud DNS, service accounts and project IAM of the Google provider, on the local cloud."""
