"""serviceaccount Account and Key."""

from __future__ import annotations

import re
from typing import Any

from googleapiclient.errors import HttpError

from ..errors import InvalidInput, PartlyCreated
from ..fields import BOOLEAN, STRING, STRING_MAP, fields, may, need, out
from ..resource import Made, Properties
from ..values import UNKNOWN
from .connection import found, sentence
from .deletion import DELETION_POLICY, Deletable

_ACCOUNT_ID = re.compile(r"[a-z](?:[-a-z0-9]{4,28}[a-z0-9])")
NOT_YET = (403, 404)
"""What Google answers for a while about an account it has just made."""


class Account(Deletable):
    """Id = its full name `projects/<p>/serviceAccounts/<email>`; accountId and project replace."""

    token = "gcp:serviceaccount/account:Account"
    inputs = fields(
        accountId=may(STRING, replaces=True),
        createIgnoreAlreadyExists=may(BOOLEAN),
        deletionPolicy=DELETION_POLICY,
        description=may(STRING),
        disabled=may(BOOLEAN, default=False),
        displayName=may(STRING),
        project=may(STRING, replaces=True, computed=True),
    )
    outputs = fields(email=out(STRING), member=out(STRING), name=out(STRING), uniqueId=out(STRING))
    autonamed = "accountId"

    def prepare(self, inputs: Properties) -> None:
        super().prepare(inputs)
        account_id = inputs["accountId"]
        if account_id is not UNKNOWN and _ACCOUNT_ID.fullmatch(account_id) is None:
            raise InvalidInput(
                "accountId",
                f"is {account_id!r}: 6 to 30 lower-case letters, digits and hyphens, beginning with a letter",
            )

    def create(self, inputs: Properties) -> Made:
        project = self._cloud.project(inputs.get("project"))
        name = f"projects/{project}/serviceAccounts/{inputs['accountId']}@{project}.iam.gserviceaccount.com"
        details = {key: inputs.get(key, "") for key in ("displayName", "description")}
        body = {"accountId": inputs["accountId"], "serviceAccount": details}
        try:
            account = self._cloud.run(self._cloud.accounts.create(name=f"projects/{project}", body=body))
            name = account["name"]
        except HttpError as error:
            if error.status_code != 409 or not inputs.get("createIgnoreAlreadyExists"):
                raise
        return self._whole(name, project, inputs)

    def _whole(self, name: str, project: str, inputs: Properties) -> Made:
        accounts = self._cloud.accounts
        try:
            account = self._cloud.settled(lambda: accounts.get(name=name), pending=NOT_YET)
            if inputs.get("disabled"):
                self._cloud.run(accounts.disable(name=name, body={}))
                account["disabled"] = True
        except HttpError as error:
            raise PartlyCreated(sentence(error) or str(error), name, {**inputs, "name": name}) from error
        return Made(name, _account_outputs(account, project, inputs))

    def read(self, resource_id: str, state: Properties) -> Made | None:
        accounts = self._cloud.accounts
        account = found(lambda: self._cloud.run(accounts.get(name=resource_id)))
        if account is None:
            return None
        return Made(resource_id, _account_outputs(account, account["projectId"], state))

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        accounts = self._cloud.accounts
        changed = [
            name for name in ("displayName", "description") if inputs.get(name, "") != state.get(name, "")
        ]
        if changed:
            body = {
                "serviceAccount": {name: inputs.get(name, "") for name in changed},
                "updateMask": ",".join(changed),
            }
            self._cloud.run(accounts.patch(name=resource_id, body=body))
        if bool(inputs.get("disabled")) != bool(state.get("disabled")):
            switch = accounts.disable if inputs.get("disabled") else accounts.enable
            self._cloud.run(switch(name=resource_id, body={}))
        account = self._cloud.settled(lambda: accounts.get(name=resource_id), pending=NOT_YET)
        return _account_outputs(account, state["project"], inputs)

    def remove(self, resource_id: str, state: Properties) -> None:
        accounts = self._cloud.accounts
        found(lambda: self._cloud.run(accounts.delete(name=resource_id)))


class Key(Deletable):
    """A key of an account; every input but deletionPolicy replaces. The private half is seen only once."""

    token = "gcp:serviceaccount/key:Key"
    inputs = fields(
        deletionPolicy=DELETION_POLICY,
        keepers=may(STRING_MAP, replaces=True),
        keyAlgorithm=may(STRING, replaces=True, default="KEY_ALG_RSA_2048"),
        privateKeyType=may(STRING, replaces=True, default="TYPE_GOOGLE_CREDENTIALS_FILE"),
        publicKeyData=may(STRING, replaces=True),
        publicKeyType=may(STRING, replaces=True, default="TYPE_X509_PEM_FILE"),
        serviceAccountId=need(STRING, replaces=True),
    )
    outputs = fields(
        name=out(STRING),
        privateKey=out(STRING, secret=True),
        publicKey=out(STRING),
        validAfter=out(STRING),
        validBefore=out(STRING),
    )

    def prepare(self, inputs: Properties) -> None:
        super().prepare(inputs)
        if inputs.get("publicKeyData"):
            raise InvalidInput("publicKeyData", "uploading a key is not something the local cloud does")

    def create(self, inputs: Properties) -> Made:
        given = {**self.defaults(), **inputs}
        body = {"keyAlgorithm": given["keyAlgorithm"], "privateKeyType": given["privateKeyType"]}
        account = self._account_name(inputs["serviceAccountId"])
        keys = self._cloud.accounts.keys()
        # A new account is not known everywhere at once.
        key = self._cloud.run(keys.create(name=account, body=body), also_retry=(404,))
        outputs = {
            **given,
            "name": key["name"],
            "privateKey": key["privateKeyData"],
            "validAfter": key.get("validAfterTime"),
            "validBefore": key.get("validBeforeTime"),
        }
        try:
            seen = self._cloud.settled(lambda: self._get(key["name"], given), pending=NOT_YET)
        except HttpError as error:
            raise PartlyCreated(sentence(error) or str(error), key["name"], outputs) from error
        return Made(key["name"], {**outputs, "publicKey": seen.get("publicKeyData", "")})

    def read(self, resource_id: str, state: Properties) -> Made | None:
        given = {**self.defaults(), **state}
        key = found(lambda: self._cloud.run(self._get(resource_id, given)))
        if key is None:
            return None
        account = resource_id.partition("/keys/")[0]
        outputs = {
            **given,
            "name": key["name"],
            "publicKey": key.get("publicKeyData", ""),
            "serviceAccountId": state.get("serviceAccountId", account),
            "validAfter": key.get("validAfterTime"),
            "validBefore": key.get("validBeforeTime"),
        }
        return Made(resource_id, outputs)

    def update(self, resource_id: str, state: Properties, inputs: Properties) -> Properties:
        return {**state, **inputs}

    def remove(self, resource_id: str, state: Properties) -> None:
        keys = self._cloud.accounts.keys()
        found(lambda: self._cloud.run(keys.delete(name=resource_id)))

    def _get(self, name: str, given: Properties) -> Any:
        return self._cloud.accounts.keys().get(name=name, publicKeyType=given["publicKeyType"])

    def _account_name(self, text: str) -> str:
        """The account as the API names it; the input may be a name, an email, or a bare account id."""
        if text.startswith("projects/"):
            return text
        if "@" in text:
            return f"projects/-/serviceAccounts/{text}"
        project = self._cloud.project(None)
        return f"projects/-/serviceAccounts/{text}@{project}.iam.gserviceaccount.com"


def _account_outputs(account: Properties, project: str, state: Properties) -> Properties:
    email = account["email"]
    return {
        "accountId": email.partition("@")[0],
        "createIgnoreAlreadyExists": state.get("createIgnoreAlreadyExists"),
        "deletionPolicy": state.get("deletionPolicy"),
        "description": account.get("description", ""),
        "disabled": bool(account.get("disabled")),
        "displayName": account.get("displayName", ""),
        "email": email,
        "member": f"serviceAccount:{email}",
        "name": account["name"],
        "project": project,
        "uniqueId": account["uniqueId"],
    }
