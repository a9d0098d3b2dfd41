"""The `tls` provider: four resources, no connection."""

from __future__ import annotations

from collections.abc import Iterable

from ..fields import BOOLEAN, STRING, Record, fields, may
from ..provider import StandIn
from ..resource import Function, Properties, Resource
from .certificate import LocallySignedCert, SelfSignedCert
from .certificate_request import CertRequest
from .private_key import PrivateKey

_PROXY = Record(fields(fromEnv=may(BOOLEAN), password=may(STRING), url=may(STRING), username=may(STRING)))


class Tls(StandIn):
    """The provider."""

    name = "tls"
    config_fields = fields(proxy=may(_PROXY))

    def open(self, config: Properties) -> tuple[Iterable[Resource], Iterable[Function]]:
        return (PrivateKey(), CertRequest(), SelfSignedCert(), LocallySignedCert()), ()
