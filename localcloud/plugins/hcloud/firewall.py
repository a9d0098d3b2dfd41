"""Firewall. Nothing of it replaces."""

from __future__ import annotations

from typing import Any, cast

from hcloud.firewalls import BoundFirewall, FirewallResource, FirewallResourceLabelSelector, FirewallRule
from hcloud.firewalls.domain import Firewall as ApiFirewall
from hcloud.servers.domain import Server as ApiServer

from ..changes import same
from ..errors import InvalidInput, PartlyCreated, StandInError
from ..fields import INTEGER, STRING, ListOf, Record, fields, may, need
from ..resource import Made, Properties, Resource
from .connection import Connection, found, gone_is_fine
from .labels import LABELS, check_labels

_CIDRS = ListOf(STRING, ordered=False)
_RULE = Record(
    fields(
        description=may(STRING),
        destinationIps=may(_CIDRS),
        direction=need(STRING),
        port=may(STRING),
        protocol=need(STRING),
        sourceIps=may(_CIDRS),
    )
)
_RULES = ListOf(_RULE, ordered=False)
_APPLY_TO = Record(fields(labelSelector=may(STRING), server=may(INTEGER)))
_APPLY_TOS = ListOf(_APPLY_TO, ordered=False)


class Firewall(Resource):
    """Rules, and the servers or label selectors they are applied to."""

    token = "hcloud:index/firewall:Firewall"
    inputs = fields(
        applyTos=may(_APPLY_TOS, computed=True), labels=LABELS, name=may(STRING), rules=may(_RULES)
    )
    autonamed = "name"

    def __init__(self, cloud: Connection) -> None:
        self._cloud = cloud

    def prepare(self, inputs: Properties) -> None:
        check_labels(inputs)
        rules = inputs.get("rules")
        for index, rule in enumerate(rules if isinstance(rules, list) else []):
            if isinstance(rule, dict) and rule["protocol"] in ("tcp", "udp") and not rule.get("port"):
                raise InvalidInput(f"rules[{index}].port", f"is required for protocol {rule['protocol']}")

    def create(self, inputs: Properties) -> Made:
        answer = self._cloud.client.firewalls.create(
            name=inputs["name"],
            labels=cast(Any, inputs.get("labels")),  # the library's annotation says str; it sends the mapping
            rules=[_rule(rule) for rule in inputs.get("rules", [])],
            resources=[_resource(target) for target in inputs.get("applyTos", [])] or None,
        )
        resource_id = str(answer.firewall.id)
        try:
            self._cloud.wait(*(answer.actions or []))
        except StandInError as error:
            raise PartlyCreated(str(error), resource_id, inputs) from error
        made = self.read(resource_id, inputs)
        if made is None:
            raise StandInError("the API no longer knows the firewall it just created")
        return made

    def read(self, resource_id: str, state: Properties) -> Made | None:
        firewall = found(lambda: self._cloud.client.firewalls.get_by_id(int(resource_id)))
        return None if firewall is None else Made(resource_id, firewall_outputs(firewall))

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        firewall = self._cloud.client.firewalls.get_by_id(int(resource_id))
        if not same(_RULES, state.get("rules", []), inputs.get("rules", [])):
            self._cloud.wait(*firewall.set_rules([_rule(rule) for rule in inputs.get("rules", [])]))
        if inputs.get("applyTos") is not None:
            self._apply(firewall, state.get("applyTos") or [], inputs["applyTos"])
        firewall.update(name=inputs["name"], labels=inputs.get("labels", {}))
        return firewall_outputs(self._cloud.client.firewalls.get_by_id(int(resource_id)))

    def _apply(self, firewall: BoundFirewall, old: list[Properties], new: list[Properties]) -> None:
        gone = [_resource(target) for target in old if target not in new]
        added = [_resource(target) for target in new if target not in old]
        if gone:
            self._cloud.wait(*firewall.remove_from_resources(gone))
        if added:
            self._cloud.wait(*firewall.apply_to_resources(added))

    def delete(self, resource_id: str, state: Properties) -> None:
        firewall = found(lambda: self._cloud.client.firewalls.get_by_id(int(resource_id)))
        if firewall is None:
            return
        applied = firewall.applied_to or []
        if applied:
            targets = [_resource(_target(entry)) for entry in applied]
            self._cloud.wait(*firewall.remove_from_resources(targets))
        gone_is_fine(
            lambda: self._cloud.retried(
                lambda: self._cloud.client.firewalls.delete(ApiFirewall(id=int(resource_id))),
                ("conflict", "resource_in_use"),
                times=10,
            )
        )


def _rule(rule: Properties) -> FirewallRule:
    return FirewallRule(
        direction=rule["direction"],
        protocol=rule["protocol"],
        port=rule.get("port"),
        source_ips=rule.get("sourceIps"),
        destination_ips=rule.get("destinationIps"),
        description=rule.get("description"),
    )


def _resource(target: Properties) -> FirewallResource:
    if target.get("server"):
        return FirewallResource(FirewallResource.TYPE_SERVER, server=ApiServer(id=target["server"]))
    selector = FirewallResourceLabelSelector(selector=target.get("labelSelector"))
    return FirewallResource(FirewallResource.TYPE_LABEL_SELECTOR, label_selector=selector)


def firewall_outputs(firewall: BoundFirewall) -> Properties:
    """One firewall as the resource and the functions give it."""
    return {
        "applyTos": [_target(applied) for applied in firewall.applied_to or []],
        "labels": firewall.labels or {},
        "name": firewall.name,
        "rules": [_rule_outputs(rule) for rule in firewall.rules or []],
    }


def _target(applied: FirewallResource) -> Properties:
    if applied.server is not None:
        return {"server": applied.server.id}
    return {"labelSelector": applied.label_selector.selector if applied.label_selector else None}


def _rule_outputs(rule: FirewallRule) -> Properties:
    return {
        "description": rule.description or "",
        "destinationIps": rule.destination_ips,
        "direction": rule.direction,
        "port": rule.port or "",
        "protocol": rule.protocol,
        "sourceIps": rule.source_ips,
    }
