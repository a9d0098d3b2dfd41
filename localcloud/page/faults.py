"""What does not work as it should, on purpose: the faults in force, and what is out of stock."""

from localcloud.cloud import Cloud
from localcloud.page.wording import ordinal
from localcloud.store import Json


def faults(cloud: Cloud) -> tuple[str, ...]:
    """A sentence for each."""
    in_force = [_sentence(fault) for fault in cloud.base.all("fault") if _in_force(cloud, fault)]
    stock = [_out_of_stock(entry) for entry in cloud.setting("soldOut")]
    return (*in_force, *stock)


def _in_force(cloud: Cloud, fault: Json) -> bool:
    if "until" in fault and cloud.clock.now() > fault["until"]:
        return False
    return fault["times"] is None or fault["struck"] < fault["times"]


def _sentence(fault: Json) -> str:
    return f"{_effect(fault)}{_when(fault)}."


def _effect(fault: Json) -> str:
    match fault["kind"]:
        case "status":
            return f"{_requests(fault)} are answered with {fault['status']} {fault['code']}"
        case "hang":
            when = "are carried out at once and answered" if fault["carriedOut"] else "are carried out"
            return f"{_requests(fault)} {when} after {fault['delaySeconds']:g} s"
        case "drop":
            return f"{_requests(fault)} lose their connection in the middle of the answer"
        case "restart":
            return f"{_requests(fault)} kill the server, which starts again"
        case "action":
            return f"Actions {fault['command']}{_named(fault)} end with the error {fault['code']}"
        case "release":
            thing = str(fault["what"]).replace("_ip", " address")
            return f"A {thing} that is given back stays busy for {fault['delaySeconds']:g} s"
        case "late_account":
            return f"A new service account is unknown to its first {fault['misses']} questions"
        case other:
            return f"A fault of the kind {other}"


def _requests(fault: Json) -> str:
    for verb in ("create", "delete"):
        if fault[verb] is not None:
            return f"Requests that {verb} a {fault[verb].replace('_', ' ')}{_named(fault)}"
    which = " ".join(part for part in (fault["method"], fault["path"]) if part)
    return f"Requests {which}{_named(fault)}" if which else f"All requests{_named(fault)}"


def _named(fault: Json) -> str:
    return f" for {fault['name']}" if fault["name"] else ""


def _when(fault: Json) -> str:
    parts = [f"from the {ordinal(fault['nth'])} on"] if fault["nth"] > 1 else []
    if fault["times"] is not None:
        left = fault["times"] - fault["struck"]
        parts.append("once" if left == 1 else f"{left} times")
    return ", " + ", ".join(parts) if parts else ""


def _out_of_stock(entry: str) -> str:
    server_type, _, location = entry.partition("@")
    return f"Server type {server_type} is out of stock in {location}."
