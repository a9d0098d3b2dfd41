"""The boot lab: what the program renders, booted by real Ignition, systemd and NetworkManager in QEMU.

`tests/boot/README.md` says what is real here and what stands in for something.
"""
