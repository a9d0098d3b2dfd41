"""GitHub handles -> the SSH public keys that open the machines, in an order that depends on the keys alone.

Source: ``https://github.com/<user>.keys``, one ``type base64`` a line (docs.github.com, "Listing public SSH
keys").
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx

from raya.errors import RayaError
from raya.service_settings import is_loopback
from raya.ssh_public_key import SshKeyError, normalise

_TRIES = 3
_FIRST_PAUSE_S = 0.5
_MOST_BYTES = 256 * 1024
_MOST_REDIRECTS = 3
_AT_ONCE = 8
_ADVICE = "no machine is changed without the complete list"


class AuthorizedKeysError(RayaError):
    """A user's keys could not be had. Names the user, what came instead and what to do."""


class _Fault(Exception):
    """Why one attempt failed; ``passing`` faults are worth another try."""

    def __init__(self, reason: str, *, passing: bool) -> None:
        super().__init__(reason)
        self.passing = passing


def fetch(users: Sequence[str], base_url: str, timeout_s: float) -> tuple[str, ...]:
    """The keys of all users, ``type base64`` each, sorted and without repetition: comments and blanks are
    dropped.

    ``timeout_s`` bounds one attempt for one user; a passing failure is tried three times. Raises
    ``AuthorizedKeysError`` with one sentence for each user whose answer is not a complete list of keys.
    """
    # A proxy of the environment is for the internet, not for the local cloud.
    trust_env = not is_loopback(httpx.URL(base_url).host)
    with (
        httpx.Client(trust_env=trust_env, timeout=timeout_s, follow_redirects=False) as client,
        ThreadPoolExecutor(max_workers=_AT_ONCE) as pool,
    ):
        answers = list(pool.map(lambda user: _keys_or_problem(client, user, base_url, timeout_s), users))
    problems = [answer for answer in answers if isinstance(answer, str)]
    if problems:
        raise AuthorizedKeysError("\n".join(problems))
    return tuple(sorted({key for answer in answers for key in answer}))


def _keys_or_problem(client: httpx.Client, user: str, base_url: str, timeout_s: float) -> list[str] | str:
    url = f"{base_url.rstrip('/')}/{user}.keys"
    try:
        return _keys(_text_with_retries(client, url, timeout_s))
    except _Fault as fault:
        return f"the SSH keys of authorized user {user} cannot be had from {url}: {fault}"


def _text_with_retries(client: httpx.Client, url: str, timeout_s: float) -> str:
    for attempt in range(_TRIES):
        try:
            return _text(client, url, timeout_s)
        except _Fault as fault:
            if not fault.passing or attempt == _TRIES - 1:
                raise
        time.sleep(_FIRST_PAUSE_S * 2**attempt)
    raise AssertionError("unreachable")


def _text(client: httpx.Client, url: str, timeout_s: float) -> str:
    deadline = time.monotonic() + timeout_s
    asked = httpx.URL(url)
    for _ in range(_MOST_REDIRECTS + 1):
        try:
            with client.stream("GET", asked, headers={"Accept": "text/plain"}) as response:
                if response.is_redirect:
                    asked = _followed(asked, response)
                    continue
                _check_status(response)
                return _body(response, deadline)
        except httpx.TimeoutException:
            raise _Fault(
                f"it did not answer within {timeout_s:g} s; {_ADVICE}, try again", passing=True
            ) from None
        except httpx.HTTPError as error:
            raise _Fault(f"{error or type(error).__name__}; {_ADVICE}, try again", passing=True) from None
    raise _Fault(
        f"it redirects more than {_MOST_REDIRECTS} times; check raya:endpoints.github", passing=False
    )


def _followed(asked: httpx.URL, response: httpx.Response) -> httpx.URL:
    target = asked.join(response.headers.get("location", ""))
    if (target.scheme, target.host, target.port) != (asked.scheme, asked.host, asked.port):
        raise _Fault(
            f"it redirects to another place, {target}, which may not say who logs in; check "
            "raya:endpoints.github",
            passing=False,
        )
    return target


def _check_status(response: httpx.Response) -> None:
    status = response.status_code
    if status == httpx.codes.NOT_FOUND:
        raise _Fault("there is no such user; correct or remove it in raya:authorizedUsers", passing=False)
    if status != httpx.codes.OK:
        passing = status >= 500 or status == httpx.codes.TOO_MANY_REQUESTS
        raise _Fault(f"it answers with HTTP status {status}; {_ADVICE}, try again later", passing=passing)


def _body(response: httpx.Response, deadline: float) -> str:
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if len(content) > _MOST_BYTES:
            raise _Fault(
                f"the answer is larger than {_MOST_BYTES // 1024} KiB, so it is not a list of keys",
                passing=False,
            )
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("too slow")
    try:
        return content.decode("ascii")
    except UnicodeDecodeError:
        raise _Fault(
            "the answer is not plain ASCII text, so it is not a list of keys", passing=False
        ) from None


def _keys(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise _Fault(
            "the answer is empty: the user has no public key there; add one on GitHub or remove the user "
            "from raya:authorizedUsers",
            passing=False,
        )
    keys = []
    for number, line in enumerate(lines, start=1):
        try:
            keys.append(normalise(line))
        except SshKeyError as error:
            raise _Fault(
                f"line {number} of the answer is not a usable key: {error}; {_ADVICE}", passing=False
            ) from None
    return keys
