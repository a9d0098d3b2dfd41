"""IAM: the keys of service accounts. The private half leaves once, at creation, and is not kept."""

import base64
import json
import secrets
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from localcloud.clock import stamp
from localcloud.cloud import Cloud
from localcloud.google.fields import text
from localcloud.google.refusals import invalid, refusal
from localcloud.google.service_accounts import ACCOUNTS, account_for
from localcloud.routing import Call, Reply, Routes
from localcloud.store import Json

KEYS = ACCOUNTS + "/{account}/keys"
KEYS_PER_ACCOUNT = 10
NO_EXPIRY = "9999-12-31T23:59:59Z"
ALGORITHMS = {"KEY_ALG_RSA_2048": 2048, "KEY_ALG_RSA_1024": 1024}

routes = Routes()


def _shown(key: Json) -> Json:
    return {name: value for name, value in key.items() if not name.startswith("_")}


def _keys_of(cloud: Cloud, account: Json) -> list[Json]:
    return [key for key in cloud.store.all("account_key") if key["_account"] == account["email"]]


@routes.get(KEYS)
def list_keys(cloud: Cloud, call: Call) -> Reply:
    """The keys of a service account, without their private half"""
    account, wanted = account_for(cloud, call), call.every("keyTypes")
    keys = [_shown(key) for key in _keys_of(cloud, account) if not wanted or key["keyType"] in wanted]
    return Reply(200, {"keys": keys} if keys else {})


@routes.post(KEYS)
def create_key(cloud: Cloud, call: Call) -> Reply:
    """Create a key; the only answer that carries its private half"""
    account = account_for(cloud, call)
    algorithm = text(call.body, "keyAlgorithm") or "KEY_ALG_RSA_2048"
    if algorithm not in ALGORITHMS:
        raise invalid("key_algorithm", algorithm)
    kind = text(call.body, "privateKeyType") or "TYPE_GOOGLE_CREDENTIALS_FILE"
    if kind != "TYPE_GOOGLE_CREDENTIALS_FILE":
        raise refusal(
            501, "notImplemented", "The local cloud gives keys only as TYPE_GOOGLE_CREDENTIALS_FILE."
        )
    if len(_keys_of(cloud, account)) >= KEYS_PER_ACCOUNT:
        raise refusal(
            400,
            "failedPrecondition",
            "Maximum number of keys on account reached.",
            rpc_status="FAILED_PRECONDITION",
        )
    private = rsa.generate_private_key(65537, ALGORITHMS[algorithm])
    number = secrets.token_hex(20)
    key: Json = {
        "name": f"{account['name']}/keys/{number}",
        "keyAlgorithm": algorithm,
        "keyOrigin": "GOOGLE_PROVIDED",
        "keyType": "USER_MANAGED",
        "validAfterTime": stamp(cloud.clock.now()),
        "validBeforeTime": NO_EXPIRY,
        "_id": number,
        "_account": account["email"],
        "_certificate": _certificate(private, account["uniqueId"]),
    }
    cloud.store.put("account_key", number, key)
    cloud.event("account_key.create", f"{account['email']} {number}")
    file = base64.b64encode(json.dumps(_key_file(account, number, private), indent=2).encode()).decode()
    return Reply(200, _shown(key) | {"privateKeyType": kind, "privateKeyData": file})


@routes.get(KEYS + "/{key}")
def get_key(cloud: Cloud, call: Call) -> Reply:
    """One key; with `publicKeyType`, also its public half"""
    key = _key_for(cloud, call)
    kind = call.first("publicKeyType") or "TYPE_NONE"
    if kind == "TYPE_NONE":
        return Reply(200, _shown(key))
    if kind not in ("TYPE_X509_PEM_FILE", "TYPE_RAW_PUBLIC_KEY"):
        raise invalid("public_key_type", kind)
    pem = key["_certificate"].encode()
    if kind == "TYPE_RAW_PUBLIC_KEY":
        public = x509.load_pem_x509_certificate(pem).public_key()
        pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return Reply(200, _shown(key) | {"publicKeyData": base64.b64encode(pem).decode()})


@routes.delete(KEYS + "/{key}")
def delete_key(cloud: Cloud, call: Call) -> Reply:
    """Delete a key"""
    key = _key_for(cloud, call)
    cloud.store.delete("account_key", key["_id"])
    cloud.event("account_key.delete", f"{key['_account']} {key['_id']}")
    return Reply(200, {})


def _key_for(cloud: Cloud, call: Call) -> Json:
    account = account_for(cloud, call)
    key = cloud.store.get("account_key", call.params["key"])
    if key is None or key["_account"] != account["email"]:
        raise refusal(404, "notFound", f"Service account key {call.params['key']} does not exist.")
    return key


def _key_file(account: Json, number: str, private: rsa.RSAPrivateKey) -> Json:
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    email = account["email"]
    return {
        "type": "service_account",
        "project_id": account["projectId"],
        "private_key_id": number,
        "private_key": pem.decode(),
        "client_email": email,
        "client_id": account["uniqueId"],
        "auth_uri": "https://accounts.google.com/o/oauth2/auth",
        "token_uri": "https://oauth2.googleapis.com/token",
        "auth_provider_x509_cert_url": "https://www.googleapis.com/oauth2/v1/certs",
        "client_x509_cert_url": f"https://www.googleapis.com/robot/v1/metadata/x509/{quote(email)}",
        "universe_domain": "googleapis.com",
    }


def _certificate(private: rsa.RSAPrivateKey, unique_id: str) -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, unique_id)])
    begin = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(private.public_key())
    builder = builder.serial_number(x509.random_serial_number()).not_valid_before(begin)
    certificate = builder.not_valid_after(begin + timedelta(days=3650)).sign(private, hashes.SHA256())
    return certificate.public_bytes(serialization.Encoding.PEM).decode()
