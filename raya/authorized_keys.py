"""GitHub handles -> the SSH public keys that open the machines, in an order that depends on the keys alone.

Source: ``https://github.com/<user>.keys``, one ``type base64`` a line (docs.github.com, "Listing public SSH
keys").
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx

from raya.errors import RayaError
from raya.service_settings import is_loopback
from raya.ssh_public_key import SshKeyError, normalise
from raya.wording import first_problems, one_line, shortened

_TRIES = 3
_MOST_BYTES = 256 * 1024
_MOST_REDIRECTS = 3
_AT_ONCE = 8
_CHECK_ENDPOINT = "check raya:endpoints.github"
_ADVICE = "no machine is changed without the complete list"


class AuthorizedKeysError(RayaError):
    """A user's keys could not be had. Names the user, what came instead and what to do."""


class KeysFault(Exception):
    """Why one attempt failed; ``passing`` faults are worth another try."""

    def __init__(self, reason: str, *, passing: bool) -> None:
        super().__init__(reason)
        self.passing = passing


def fetch(
    users: Sequence[str], base_url: str, timeout_s: float, *, first_pause_s: float = 0.5
) -> tuple[str, ...]:
    """The keys of all users, ``type base64`` each, sorted, each once; comments and blanks are dropped.

    ``timeout_s`` bounds one attempt for one user; a passing failure is tried three times, after
    ``first_pause_s`` and twice as long. Raises ``AuthorizedKeysError`` with one sentence for each user whose
    answer is not a complete list of keys.
    """
    address = urlsplit(base_url)
    client = httpx.Client(
        # A proxy of the environment is for the internet, not for the local cloud.
        trust_env=not is_loopback(address.hostname),
        # Certificates take 50 ms to load, and a plain address, whose redirects stay plain, needs none.
        verify=address.scheme != "http",
        timeout=timeout_s,
        follow_redirects=False,
    )
    with client, ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        source = _Source(client, base_url.rstrip("/"), timeout_s, first_pause_s)
        answers = list(pool.map(source.keys_or_problem, users))
    problems = [answer for answer in answers if isinstance(answer, str)]
    if problems:
        raise AuthorizedKeysError("\n".join(first_problems(problems)))
    return merge(answer for answer in answers if not isinstance(answer, str))


def merge(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """All keys once, in an order that depends on the keys alone."""
    return tuple(sorted({key for keys in lists for key in keys}))


@dataclass(frozen=True)
class _Source:
    client: httpx.Client
    base_url: str
    timeout_s: float
    first_pause_s: float

    def keys_or_problem(self, user: str) -> list[str] | str:
        url = f"{self.base_url}/{user}.keys"
        try:
            return parse(self._text_with_retries(url))
        except KeysFault as fault:
            return one_line(
                f"the SSH keys of authorized user {user} cannot be had from {shortened(url)}: {fault}"
            )

    def _text_with_retries(self, url: str) -> str:
        for attempt in range(_TRIES - 1):
            try:
                return self._text(url)
            except KeysFault as fault:
                if not fault.passing:
                    raise
            time.sleep(self.first_pause_s * 2**attempt)
        return self._text(url)

    def _text(self, start: str) -> str:
        deadline = time.monotonic() + self.timeout_s
        try:
            url = httpx.URL(start)
            for _ in range(_MOST_REDIRECTS + 1):
                with self.client.stream("GET", url, headers={"Accept": "text/plain"}) as response:
                    if not response.is_redirect:
                        _check_status(response)
                        return _body(response, deadline)
                    url = _followed(url, response)
        except httpx.TimeoutException:
            raise KeysFault(
                f"it did not answer within {self.timeout_s:g} s; {_ADVICE}, try again", passing=True
            ) from None
        except (httpx.InvalidURL, UnicodeError) as error:
            # UnicodeError: a host that IDNA cannot encode, such as one with a label of more than 63 letters.
            raise KeysFault(
                f"it is not a usable address ({error}); {_CHECK_ENDPOINT}", passing=False
            ) from None
        except httpx.HTTPError as error:
            raise KeysFault(f"{error or type(error).__name__}; {_ADVICE}, try again", passing=True) from None
        raise KeysFault(f"it redirects more than {_MOST_REDIRECTS} times; {_CHECK_ENDPOINT}", passing=False)


def _followed(asked: httpx.URL, response: httpx.Response) -> httpx.URL:
    target = asked.join(response.headers.get("location", ""))
    if (target.scheme, target.host, target.port) != (asked.scheme, asked.host, asked.port):
        raise KeysFault(
            f"it redirects to another place, {shortened(str(target))}, which may not say who logs in; "
            f"{_CHECK_ENDPOINT}",
            passing=False,
        )
    return target


def _check_status(response: httpx.Response) -> None:
    status = response.status_code
    if status == httpx.codes.NOT_FOUND:
        raise KeysFault("there is no such user; correct or remove it in raya:authorizedUsers", passing=False)
    if status != httpx.codes.OK:
        passing = status >= 500 or status == httpx.codes.TOO_MANY_REQUESTS
        raise KeysFault(f"it answers with HTTP status {status}; {_ADVICE}, try again later", passing=passing)


def _body(response: httpx.Response, deadline: float) -> str:
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if len(content) > _MOST_BYTES:
            raise KeysFault(
                f"the answer is larger than {_MOST_BYTES // 1024} KiB, so it is not a list of keys",
                passing=False,
            )
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("too slow")
    try:
        return content.decode("ascii")
    except UnicodeDecodeError:
        raise KeysFault(
            "the answer is not plain ASCII text, so it is not a list of keys", passing=False
        ) from None


def parse(text: str) -> list[str]:
    """The keys of an answer in their order; ``KeysFault`` when it is anything but a list of usable keys."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise KeysFault(
            "the answer is empty: the user has no public key there; add one on GitHub or remove the user "
            "from raya:authorizedUsers",
            passing=False,
        )
    keys = []
    for number, line in enumerate(lines, start=1):
        try:
            keys.append(normalise(line))
        except SshKeyError as error:
            raise KeysFault(
                f"line {number} of the answer is not a usable key: {error}; {_ADVICE}", passing=False
            ) from None
    return keys
