"""Packing: plain while it fits, wrapped above the limit, refused above that; counted in bytes."""

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
    storage = {
        "files": [
            {"path": f"/{name}", "contents": {"source": base64_url(contents)}}
            for name, contents in files.items()
        ]
    }
    return json.dumps({"ignition": {"version": "3.5.0"}, "storage": storage})


def noise(size_bytes: int) -> bytes:
    """Text that does not compress, like keys."""
    return base64.b64encode(random.Random(size_bytes).randbytes(size_bytes * 3 // 4))


def user_of_size(size_bytes: int, filler: str = "x") -> str:
    """A config of exactly that many bytes in its canonical form."""
    name = {"name": ""}
    text = json.dumps({"ignition": {"version": "3.5.0"}, "passwd": {"users": [name]}})
    missing = size_bytes - len(ignition.canonical(text).encode())
    count, rest = divmod(missing, len(filler.encode()))
    name["name"] = filler * count + "x" * rest
    return json.dumps({"ignition": {"version": "3.5.0"}, "passwd": {"users": [name]}})


def test_a_config_that_fits_stays_readable() -> None:
    packed = user_data.pack(user_of_size(LIMIT_BYTES))
    assert len(packed.encode()) == LIMIT_BYTES
    assert "replace" not in packed


@pytest.mark.parametrize("filler", ["x", "ü", "😀"])
def test_one_byte_more_is_wrapped(filler: str) -> None:
    text = user_of_size(LIMIT_BYTES + 1, filler)
    packed = user_data.pack(text)
    assert list(json.loads(packed)) == ["ignition"]
    assert json.loads(packed)["ignition"]["version"] == "3.5.0"
    assert ignition.decode(packed) == ignition.decode(text)


def test_bytes_are_counted_not_characters() -> None:
    text = user_of_size(LIMIT_BYTES + 1, "ü")
    assert len(ignition.canonical(text)) < LIMIT_BYTES
    assert "replace" in user_data.pack(text)


def test_what_is_too_large_even_when_wrapped_names_the_largest_parts() -> None:
    text = config(small=noise(100), keys=noise(30_000), script=b"echo\n" * 10_000, manifest=noise(4_000))
    with pytest.raises(UserDataTooLargeError) as caught:
        user_data.pack(text)
    assert caught.value.contributors[:2] == [("/keys", 30_000), ("/manifest", 4_000)]
    assert caught.value.size_bytes > caught.value.limit_bytes == 32_768
    assert "/keys (30,000 bytes)" in str(caught.value)
    assert f"{caught.value.size_bytes:,} bytes after compression" in str(caught.value)


def test_the_limit_is_exact_for_a_wrapped_config() -> None:
    sizes: list[int] = []

    def pack_more_and_more() -> None:
        for size in range(30_000, 34_000, 4):
            sizes.append(len(user_data.pack(config(keys=noise(size))).encode()))

    with pytest.raises(UserDataTooLargeError) as caught:
        pack_more_and_more()
    assert LIMIT_BYTES - 40 < max(sizes) <= LIMIT_BYTES < caught.value.size_bytes


def test_the_same_config_is_the_same_user_data() -> None:
    text = config(keys=noise(20_000), other=b"a" * 20_000)
    assert user_data.pack(text) == user_data.pack(json.dumps(json.loads(text), indent=1))


def test_wrapped_user_data_is_the_same_bytes_on_every_system() -> None:
    # Another digest here means that every control plane is rebuilt once: see docs/adr/0004.
    text = config(**{f"unit-{n}": f"[Unit]\nDescription=unit {n * n}\n".encode() for n in range(600)})
    digest = hashlib.sha256(user_data.pack(text).encode()).hexdigest()
    assert digest == "fbf687fd68edd5545600b94cca8f9d2a13d5eac84d70093f11a2fdc313161d93"


def test_any_gzip_reads_it() -> None:
    plain = ignition.canonical(config(keys=noise(20_000), other=b"a" * 20_000))
    source = json.loads(user_data.pack(plain))["ignition"]["config"]["replace"]["source"]
    assert gzip.decompress(base64.b64decode(source.split(",")[1])).decode() == plain
