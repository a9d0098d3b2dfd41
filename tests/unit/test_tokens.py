"""Tokens and node passwords: what k3s will check them against."""

from __future__ import annotations

import hashlib
import re

import pytest

from raya import tokens

CA = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


def test_agent_token_is_the_full_form_over_the_literal_bytes() -> None:
    assert tokens.agent_token(CA, "abc") == f"K10{hashlib.sha256(CA.encode()).hexdigest()}::server:abc"


def test_the_final_newline_counts() -> None:
    assert tokens.agent_token(CA, "abc") != tokens.agent_token(CA.rstrip(), "abc")


def test_node_password_belongs_to_the_name_and_the_seed() -> None:
    password = tokens.node_password("seed", "agent-1")
    assert re.fullmatch(r"[0-9a-f]{32}", password)
    assert password == tokens.node_password("seed", "agent-1")
    assert (
        len({password, tokens.node_password("seed", "agent-2"), tokens.node_password("other", "agent-1")})
        == 3
    )


@pytest.mark.parametrize("name", ["agent-1", "control-plane", "machine-config-digests"])
def test_digest_key_is_no_node_password(name: str) -> None:
    assert tokens.node_password("seed", name) not in tokens.digest_key("seed").hex()
