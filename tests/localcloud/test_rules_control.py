"""What `/_control` and a seed take: a wrong value is refused in a sentence, and nothing of it is kept."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from localcloud.cloud import Cloud
from localcloud.hetzner import actions
from localcloud.log import ENTRIES_KEPT, Log
from localcloud.store import Store
from tests.cloud import PROJECT_ROOT, TOKEN, RunningCloud, running_cloud

ZONE = {"project": "p", "name": "z", "dnsName": "z.example.org"}
TOKENS = {"tokens": [{"token": "o" * 64, "project": "other"}]}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"colour": "red"}, "a change of settings has no key colour; it has actionSeconds, shutdownSeconds"),
        ({"actionSeconds": "3"}, "actionSeconds: Input should be a valid number"),
        ({"actionSeconds": -1}, "actionSeconds: Input should be greater than or equal to 0"),
        ({"rateRefillPerSecond": 0}, "rateRefillPerSecond: Input should be greater than 0"),
        ({"rateLimit": 1.5}, "rateLimit: Input should be a valid integer"),
        ({"serverLimit": None}, "serverLimit: Input should be a valid integer"),
        ({"soldOut": "cx23@hel1"}, "soldOut: Input should be a valid list"),
        ({"soldOut": ["cx23"]}, "'cx23' is not written as type@location"),
        ({"leaving": {"cx23@hel1": "soon"}}, "'soon' is not written as 2027-01-01T00:00:00Z"),
    ],
)
def test_bad_settings(cloud: RunningCloud, http: httpx.Client, settings: dict[str, Any], says: str) -> None:
    before = cloud.control("GET", "settings")
    answer = http.post("/_control/settings", json={"volumeLimit": 7} | settings)
    assert answer.status_code == 400
    assert says in answer.json()["error"]["message"]
    assert cloud.control("GET", "settings") == before


@pytest.mark.parametrize(
    ("seed", "says"),
    [
        ({"servers": []}, "a seed has no key servers; it has projects, zones"),
        ({"projects": "p"}, "projects: Input should be a valid list"),
        ({"zones": [{"project": "p", "name": "z"}]}, "zones.0.dnsName: Field required"),
        ({"zones": [ZONE | {"dnsName": "no dots allowed"}]}, "zones.0.dnsName: String should match pattern"),
        ({"users": {"bob": "ssh-ed25519"}}, "users.bob: Input should be a valid list"),
        ({"tokens": [{"token": "short"}]}, "tokens.0.token: String should have at least 64 characters"),
        (
            {"snapshots": [{"architecture": "riscv"}]},
            "architecture: Input should be 'x86' or 'arm'",
        ),
        ({"settings": {"actionSeconds": "x"}}, "actionSeconds: Input should be a valid number"),
    ],
)
def test_bad_seeds(cloud: RunningCloud, http: httpx.Client, seed: dict[str, Any], says: str) -> None:
    answer = http.post("/_control/seed", json={"users": {"carol": None}} | seed)
    assert answer.status_code == 400
    assert says in answer.json()["error"]["message"]
    assert http.get("/github/carol.keys").status_code == 404, "a refused seed leaves nothing"


def test_a_label_that_breaks_the_grammar_is_not_planted(cloud: RunningCloud, http: httpx.Client) -> None:
    answer = http.post("/_control/seed", json={"snapshots": [{"labels": {"version": "v1+k3s1"}}]})
    assert "is not correctly formatted" in answer.json()["error"]["message"]
    assert len(cloud.hetzner("images")) == 6


def test_a_token_in_a_bad_seed_is_not_repeated(cloud: RunningCloud, http: httpx.Client) -> None:
    answer = http.post("/_control/seed", json={"tokens": [{"token": "canary" * 20}]})
    assert answer.status_code == 400
    assert "canary" not in answer.text + cloud.log


@pytest.mark.parametrize("seconds", [-1, "1", None, True, 10**10])
def test_bad_clock(cloud: RunningCloud, http: httpx.Client, seconds: Any) -> None:
    answer = http.post("/_control/clock", json={"advanceSeconds": seconds})
    assert answer.status_code == 400
    assert "the clock: advanceSeconds: Input should be" in answer.json()["error"]["message"]


def test_the_clock_ends_before_years_have_five_digits(tmp_path: Path) -> None:
    with running_cloud(tmp_path, seed={}) as cloud, httpx.Client(base_url=cloud.base_url) as http:
        ahead = [http.post("/_control/clock", json={"advanceSeconds": 10**9}) for _ in range(300)]
        refused = next(answer for answer in ahead if answer.status_code != 200)
        assert refused.status_code == 400
        words = r"the clock stands at 8\d{3}-.*Z and goes no further than 9000-01-01T00:00:00Z:"
        message = refused.json()["error"]["message"]
        found = re.fullmatch(rf"{words} advanceSeconds is (\d+) at the most", message)
        assert found, message
        assert http.post("/_control/clock", json={"advanceSeconds": int(found[1]) - 60}).status_code == 200
        cloud.settings(actionSeconds=10**9)
        assert cloud.create_volume("state", size_gb=10, labels={})["created"].startswith("8999-12-31T23:")
        assert "Traceback" not in cloud.log


def test_many_mistakes_are_counted(http: httpx.Client) -> None:
    body = {f"wrong{number}": number for number in range(5)}
    message = http.post("/_control/settings", json=body).json()["error"]["message"]
    assert message.count("has no key") == 3
    assert message.endswith(" (2 more)")


def test_a_bad_seed_file_ends_the_start_in_a_sentence(tmp_path: Path) -> None:
    seed = tmp_path / "seed.json"
    seed.write_text(json.dumps({"zones": [{}]}))
    options = ["--port", "0", "--state", str(tmp_path / "cloud.sqlite"), "--seed", str(seed)]
    command = [sys.executable, "-m", "localcloud", "serve", *options]
    run = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 1
    assert f"localcloud: {seed}: a seed: zones.0.project: Field required" in run.stderr
    assert "Traceback" not in run.stderr


def test_entries_after_a_number(cloud: RunningCloud) -> None:
    for number in range(3):
        cloud.create_volume(f"v{number}", size_gb=10, labels={})
    everything = cloud.control("GET", "requests")["requests"]
    assert [entry["seq"] for entry in everything] == [1, 2, 3]
    assert cloud.control("GET", "requests?after=1") == {"requests": everything[1:], "dropped": 0}
    assert cloud.control("GET", "requests?after=3") == {"requests": [], "dropped": 0}
    assert cloud.control("GET", "requests?after=99") == {"requests": [], "dropped": 0}


def test_only_values_that_an_endpoint_takes_are_logged(cloud: RunningCloud, http: httpx.Client) -> None:
    secrets = {name: f"canary-{name}" for name in ("key", "access_token", "api_key", "password", "Name")}
    zones = "/google/dns/v1/projects/raya-local/managedZones"
    for path, taken in (
        ("/hcloud/v1/servers", {"name": "agent-0", "label_selector": "a=b", "page": "1"}),
        (zones, {"dnsName": "example.org.", "maxResults": "5"}),
        ("/hcloud/v1/nothing", {}),
    ):
        http.get(path, params=secrets | taken)
        entry = cloud.requests()[-1]
        assert entry["path"] == path
        assert dict(entry["query"]) == dict.fromkeys(secrets, "***") | taken
    # Google's clients may carry their token there. It lets them in, and is not looked at.
    with httpx.Client(base_url=cloud.base_url) as without_header:
        assert without_header.get(zones, params={"access_token": "canary"}).status_code == 200
    # What is refused before an endpoint looks at it.
    assert httpx.get(f"{cloud.base_url}/hcloud/v1/servers?name=canary").status_code == 401
    hidden = [[["access_token", "***"]], [["name", "***"]]]
    assert [entry["query"] for entry in cloud.requests()[-2:]] == hidden
    assert "canary" not in json.dumps(cloud.requests())


def test_a_log_keeps_its_newest_entries(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.sqlite")
    total = ENTRIES_KEPT + 2500
    for number in range(total):
        store.append("events", {"number": number})
        if number % 1000 == 999:
            store.commit()
    store.commit()
    kept = store.log("events")
    assert ENTRIES_KEPT <= len(kept) < ENTRIES_KEPT + 1000
    assert kept[-1] == {"seq": total, "number": total - 1}
    dropped = total - len(kept)
    assert store.journal("events").after(0) == (kept, dropped)
    assert store.journal("events").after(dropped) == (kept, 0)
    assert store.journal("events").after(total - 1) == (kept[-1:], 0)
    before = list(kept)
    store.close()
    again = Store(tmp_path / "state.sqlite")
    assert again.log("events") == before
    again.append("events", {"number": total})
    assert again.log("events")[-1]["seq"] == total + 1, "a number is not given twice"
    again.close()


def test_the_oldest_finished_actions_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "ACTIONS_KEPT", 3)
    cloud = Cloud()
    cloud.base.put("volume", 1, {"id": 1, "name": "state"})
    started = []
    for number in range(8):
        # The first one runs for an hour, the others for no time.
        cloud.base.put("settings", "settings", {"actionSeconds": 0 if number else 3600})
        started.append(actions.start(cloud, "resize_volume", [("volume", {"id": 1, "name": "state"})])["id"])
        cloud.schedule.settle(cloud)
    kept = [action["id"] for action in cloud.store.all("action")]
    assert kept == [started[0], *started[-3:]]


def test_what_was_undone_is_in_no_log() -> None:
    log = Log([])
    log.append({"event": "kept"})
    log.append({"event": "undone"})
    log.take_back()
    assert log.append({"event": "next"})["seq"] == 2
    assert [entry["event"] for entry in log.entries()] == ["kept", "next"]


def test_reset_forgets_tokens(cloud: RunningCloud, http: httpx.Client) -> None:
    cloud.seed(TOKENS)
    assert http.get("/hcloud/v1/servers").status_code == 401
    cloud.reset()
    assert http.get("/hcloud/v1/servers", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
