"""The compressor: what it makes can be read by anybody, is small, and is the same everywhere."""

from __future__ import annotations

import gzip
import hashlib
import random
import string
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rendering.deflate import gzip_compress
from tests import machines


def text_like(seed: int, words: int) -> bytes:
    """Words with repetitions, and a key now and then: what a machine's config is made of."""
    source = random.Random(seed)
    vocabulary = [
        "".join(source.choices(string.ascii_lowercase, k=source.randint(2, 12))) for _ in range(200)
    ]
    lines = [" ".join(source.choices(vocabulary, k=8)) for _ in range(words // 8)]
    keys = ["".join(source.choices(string.ascii_letters, k=700)) for _ in range(4)]
    return "\n".join([*lines[: words // 16], *keys, *lines[words // 16 :]]).encode()


SAMPLES = {
    "nothing": b"",
    "one byte": b"a",
    "two bytes": b"ab",
    "one byte repeated": b"a" * 100_000,
    "every byte": bytes(range(256)) * 3,
    "noise": random.Random(0).randbytes(40_000),
    "text": text_like(1, 8_000),
    "matches as far away as they may be": b"xyz123" + random.Random(2).randbytes(32_762) + b"xyz123",
    "and one further": b"xyz123" + random.Random(2).randbytes(32_763) + b"xyz123",
    "rare symbols": b"".join(bytes([byte]) * (1 << byte) for byte in range(17)),
}


@pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES)
def test_what_is_compressed_comes_back(data: bytes) -> None:
    packed = gzip_compress(data)
    assert gzip.decompress(packed) == data
    # Neither a time nor the name of a system.
    assert packed[:10] == b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"


@settings(deadline=None)
@given(st.one_of(st.binary(max_size=2_000), st.text("ab%20\n", max_size=2_000).map(str.encode)))
def test_whatever_is_compressed_comes_back(data: bytes) -> None:
    assert gzip.decompress(gzip_compress(data)) == data


def test_it_is_as_small_as_zlibs_best() -> None:
    for data in (SAMPLES["text"], machines.render(machines.control_plane()).ignition.encode()):
        assert len(gzip_compress(data)) <= len(zlib.compress(data, 9)) + 12


def test_noise_does_not_grow_much() -> None:
    assert len(gzip_compress(SAMPLES["noise"])) < 1.002 * len(SAMPLES["noise"])


def test_the_bytes_are_the_same_on_every_system() -> None:
    # A change here replaces every machine whose config is compressed. Change it on purpose or not at all.
    packed = b"".join(gzip_compress(data) for data in SAMPLES.values())
    assert (
        hashlib.sha256(packed).hexdigest()
        == "93836775a4c8b78d6d9ed3598f825bab1593d5b4e89d96189d1ad72b8d4d7901"
    )
