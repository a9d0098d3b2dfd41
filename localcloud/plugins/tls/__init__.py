"""`tls`: real keys and certificates, made by the `cryptography` package."""
