"""Packing: a config becomes a stub that unpacks itself, and is refused above the limit."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random

import pytest

from rendering import ignition, user_data
from rendering.errors import UserDataTooLargeError
from rendering.ignition import base64_url
from rendering.user_data import LIMIT_BYTES


def config(**files: bytes) -> str:
    """A config of these files, in its canonical form."""
    storage = {
        "files": [
            {"path": f"/{name}", "contents": {"source": base64_url(contents)}}
            for name, contents in files.items()
        ]
    }
    return ignition.canonical(json.dumps({"ignition": {"version": "3.5.0"}, "storage": storage}))


def noise(size_bytes: int) -> bytes:
    """Text that does not compress, like keys."""
    return base64.b64encode(random.Random(size_bytes).randbytes(size_bytes * 3 // 4))


def test_a_config_becomes_a_stub_that_replaces_itself_with_it() -> None:
    text = config(unit=b"[Unit]\n", keys=noise(1_000))
    packed = user_data.pack(text)
    assert list(json.loads(packed)) == ["ignition"]
    assert json.loads(packed)["ignition"]["version"] == "3.5.0"
    assert ignition.decode(packed) == ignition.decode(text)


@pytest.mark.parametrize("text", ["x", "ü", "😀"])
def test_user_data_is_ascii_whatever_the_config_holds(text: str) -> None:
    packed = user_data.pack(config(file=text.encode() * 100))
    assert packed.isascii()
    assert ignition.decode(packed)[0].contents.decode() == text * 100


def test_what_is_too_large_even_when_wrapped_names_the_largest_parts() -> None:
    text = config(small=noise(100), keys=noise(30_000), script=b"echo\n" * 10_000, manifest=noise(4_000))
    with pytest.raises(UserDataTooLargeError) as caught:
        user_data.pack(text)
    assert caught.value.contributors[:2] == [("/keys", 30_000), ("/manifest", 4_000)]
    assert caught.value.size_bytes > caught.value.limit_bytes == 32_768
    assert "/keys (30,000 bytes)" in str(caught.value)
    assert f"{caught.value.size_bytes:,} bytes after compression" in str(caught.value)


def test_the_limit_is_exact() -> None:
    sizes: list[int] = []

    def pack_more_and_more() -> None:
        for size in range(30_000, 34_000, 4):
            sizes.append(len(user_data.pack(config(keys=noise(size))).encode()))

    with pytest.raises(UserDataTooLargeError) as caught:
        pack_more_and_more()
    assert LIMIT_BYTES - 40 < max(sizes) <= LIMIT_BYTES < caught.value.size_bytes


def test_user_data_is_the_same_bytes_on_every_system() -> None:
    # Another digest here means that every machine is rebuilt once: see docs/adr/0004.
    text = config(**{f"unit-{n}": f"[Unit]\nDescription=unit {n * n}\n".encode() for n in range(600)})
    digest = hashlib.sha256(user_data.pack(text).encode()).hexdigest()
    assert digest == "4f76a3ad97a9a8019c9f436b30205c11eafc479288b59849a8c735846d0d66ee"


def test_any_gzip_reads_it() -> None:
    plain = config(keys=noise(20_000), other=b"a" * 20_000)
    source = json.loads(user_data.pack(plain))["ignition"]["config"]["replace"]["source"]
    assert gzip.decompress(base64.b64decode(source.split(",")[1])).decode() == plain
