"""AgentPool: the agents, each a Node at its position."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pulumi

from raya.fleet import Agent
from raya.node import Node, NodeArgs


@dataclass(frozen=True, kw_only=True)
class AgentPoolArgs:
    """``agents``: the live ones; ``make_node``: what the machine of one agent takes."""

    agents: Sequence[Agent]
    make_node: Callable[[Agent], NodeArgs]


class AgentPool(pulumi.ComponentResource):
    """All agents. No agent depends on another: one entry of the fleet touches one machine."""

    nodes: Mapping[Agent, Node]

    def __init__(self, name: str, args: AgentPoolArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("raya:cluster:AgentPool", name, None, opts)
        self.nodes = {
            agent: Node(agent.name, args.make_node(agent), opts=pulumi.ResourceOptions(parent=self))
            for agent in args.agents
        }
        self.register_outputs({})
