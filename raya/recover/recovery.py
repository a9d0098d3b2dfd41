"""Looking at a stack, and doing what the plan says. Every step may be repeated, and may be the last one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hcloud import APIException, Client

from raya import account, lookups
from raya.errors import RayaError
from raya.recover import hetzner
from raya.recover.checkpoint import Checkpoint
from raya.recover.claims import Claims
from raya.recover.comparison import compare
from raya.recover.engine import Engine, Lock
from raya.recover.google import Project
from raya.recover.plan import Plan
from raya.recover.things import Kind, Thing
from raya.settings import Settings


class RefusedDeletionError(RayaError):
    """Hetzner keeps what should go."""


class ChangedMeanwhileError(RayaError):
    """Somebody else wrote the state after it was looked at."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """What was found, and what is to be done about it."""

    checkpoint: Checkpoint
    lock: Lock | None
    plan: Plan

    @property
    def is_well(self) -> bool:
        return self.lock is None and self.plan.is_empty


class Recovery:
    """Of one stack. ``say`` is told of each step as it is begun."""

    def __init__(self, engine: Engine, *, environment: Mapping[str, str], say: Callable[[str], None]) -> None:
        self._engine, self._say = engine, say
        config, secret_keys = engine.config()
        self._settings = Settings.load(
            config, secret_keys=secret_keys, root=engine.root, environment=environment
        )
        token = config.get("hcloud:token") or environment["HCLOUD_TOKEN"]
        self._hetzner: Client = account.client(config, token=token)
        self._google = Project(config, self._settings.gcp_project)

    def look(self) -> Situation:
        """Changes nothing."""
        lock = self._engine.lock()
        checkpoint = Checkpoint(self._engine.export())
        claims = Claims(self._settings, checkpoint)
        plan = compare(checkpoint, self._things(checkpoint, claims), claims)
        return Situation(checkpoint=checkpoint, lock=lock, plan=plan)

    def carry_out(self, situation: Situation) -> None:
        """Frees the stack, writes the state once, deletes, and has the engine read what changes in the state.

        The state comes first, even unchanged: the engine takes the lock for it, wherever that is kept, and
        refuses when somebody works on the stack. Nothing is deleted under a run that goes on.
        """
        plan = situation.plan
        if self._engine.lock() != situation.lock:
            raise ChangedMeanwhileError("somebody locked or freed the stack meanwhile. Run it again.")
        if situation.lock is not None:
            self._say("free the stack")
            self._engine.free()
        if self._engine.export() != situation.checkpoint.document:
            raise ChangedMeanwhileError(
                "the state was changed by somebody else after the plan was made. Run it again."
            )
        if situation.lock or plan.take_in or plan.pending or plan.delete:
            self._say("write the state")
            records = [each.record for each in plan.take_in]
            self._engine.replace_state(situation.checkpoint.edited(records, gone=plan.replaced))
        for thing in plan.delete:
            self._say(f"delete the {thing}")
            self._delete(thing)
        if plan.refresh:
            self._say("read from the clouds what changes in the state")
            self._engine.refresh(plan.refresh)

    def _things(self, checkpoint: Checkpoint, claims: Claims) -> list[Thing]:
        accounts = {key.id for key in checkpoint.known if key.kind is Kind.ACCOUNT}
        zones = {key.id.split("/")[3] for key in checkpoint.known if key.kind in (Kind.ZONE, Kind.RECORD)}
        with lookups.hetzner("what is in the project"):
            in_hetzner = list(hetzner.things(self._hetzner))
        in_google = self._google.things(
            zones={*claims.zone_names, *zones}, accounts={*claims.accounts, *accounts}
        )
        return [*in_hetzner, *in_google]

    def _delete(self, thing: Thing) -> None:
        if thing.kind is Kind.KEY:
            self._google.delete_key(thing.id)
            return
        try:
            hetzner.delete_server(self._hetzner, int(thing.id))
        except APIException as error:
            raise RefusedDeletionError(
                f"Hetzner did not delete the {thing}: {error}. What was planned before it is done. Put this "
                "right (a protection is taken away in the console), and run it again."
            ) from error
