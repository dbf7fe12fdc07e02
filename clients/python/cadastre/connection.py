"""Requests: where the server is, whose token they carry, and how often they are tried."""

import json
import logging
import random
import re
import ssl
import time
import urllib.parse
import urllib.request
import uuid
from email.message import Message
from http.client import HTTPException, HTTPResponse
from typing import Any, List, Mapping, NamedTuple, Optional, Tuple

from .errors import CadastreError, Changed, NotFound, TooManyRequests, Unreachable, refusal

log = logging.getLogger("cadastre")

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
# Their answers have secrets, so the server keeps none of them for a repeated request.
NOT_REPEATED = re.compile(r"/user/(login|tokens|service_accounts)\b.*")


class Answer(NamedTuple):
    status: int
    headers: "Message[str, str]"
    text: bytes

    def json(self) -> Any:
        try:
            return json.loads(self.text)
        except ValueError:
            raise CadastreError("The answer is not JSON: is this a server of Cadastre?") from None


class Call(NamedTuple):
    """What is to be sent; its text is without the parameters, which may be long."""

    method: str
    path: str
    params: str
    body: Optional[bytes]
    headers: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Connection:
    """A server and a token. Each request opens a connection of its own, so threads may share this."""

    def __init__(
        self, url: str, token: str, *, cafile: Optional[str], timeout: float, patience: float
    ) -> None:
        self.url = _checked_url(url)
        self.timeout = timeout
        self.patience = patience
        self._token = Secret(token)
        tls = ssl.create_default_context(cafile=cafile)
        # Without the output for debugging, which would have the token.
        plain = urllib.request.HTTPHandler(debuglevel=0)
        encrypted = urllib.request.HTTPSHandler(debuglevel=0, context=tls)
        self._opener = urllib.request.build_opener(plain, encrypted, _AsItIs)

    def __repr__(self) -> str:
        return f"<cadastre.{type(self).__name__} at {self.url}>"

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        params: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
    ) -> Answer:
        """Any request; `path` is that below /api/v1, and a body other than bytes is sent as JSON.

        While the server is away or busy, it is sent again. That is safe: a POST carries a key by which
        the server recognizes it, and other methods name the result that they want.
        """
        own = {"Content-Type": "application/json", **(headers or {})}
        is_repeated = method != "POST" or not NOT_REPEATED.fullmatch(path)
        if method == "POST" and is_repeated:
            own.setdefault("Idempotency-Key", str(uuid.uuid4()))
        data = body if body is None or isinstance(body, bytes) else as_json(body)
        call = Call(method, path, encoded(params or {}), data, own)
        limit = timeout or self.timeout
        end = time.monotonic() + self.patience
        pause, is_lost = FIRST_PAUSE, False
        while True:
            try:
                with self.open(call, limit) as response:
                    answer = Answer(response.status, response.headers, _read(call, response, limit))
                for warning in answer.headers.get_all("warning", []):
                    log.warning("%s: %s", call, warning)
                return answer
            except NotFound:
                # The first request deleted it, and its answer was lost.
                if method == "DELETE" and is_lost:
                    return Answer(204, Message(), b"")
                raise
            except Changed as error:
                if is_lost:
                    error.args = (f"{error}, perhaps by this request: its first answer was lost",)
                raise
            except (Unreachable, TooManyRequests) as error:
                wait = error.retry_after
                if wait is None:
                    wait = random.uniform(0.5, 1) * pause
                if not is_repeated or time.monotonic() + wait > end:
                    raise
                log.warning("%s; trying again in %.1f seconds", error, wait)
                time.sleep(wait)
                pause = min(2 * pause, LONGEST_PAUSE)
                is_lost = is_lost or isinstance(error, Unreachable)

    def open(self, call: Call, timeout: float) -> HTTPResponse:
        """Sends it once. The response is one of 2xx, of which only the head is read."""
        url = f"{self.url}/api/v1{call.path}{'?' if call.params else ''}{call.params}"
        # A new one for each attempt: behind a proxy, a second use would not be encrypted.
        request = urllib.request.Request(url, call.body, dict(call.headers), method=call.method)
        if self._token:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            response: HTTPResponse = self._opener.open(request, timeout=timeout)
        except (OSError, HTTPException) as error:
            raise _unreachable(call, error) from error
        if 200 <= response.status < 300:
            return response
        with response:
            text = _read(call, response, timeout)
        raise refusal(str(call), response.status, response.headers, text)


class Secret(str):
    """A text that a debugger does not show."""

    def __new__(cls, text: str) -> "Secret":
        # A header would not take it, and the error would name it.
        if not re.fullmatch(r"[\x21-\x7e]*", text.strip()):
            raise ValueError("The token has characters that no token has")
        return super().__new__(cls, text.strip())

    def __repr__(self) -> str:
        return "'…'"


class _AsItIs(urllib.request.HTTPErrorProcessor):
    """Gives back each response, also a redirect: the token is for one server, so none is followed."""

    def http_response(self, request: urllib.request.Request, response: Any) -> Any:
        return response

    https_response = http_response


def _read(call: Call, response: HTTPResponse, timeout: float) -> bytes:
    """The timeout of the socket is for each piece, this one is for all of them."""
    end = time.monotonic() + timeout
    parts: List[bytes] = []
    try:
        while part := response.read1(65536):
            parts.append(part)
            if time.monotonic() > end:
                raise TimeoutError("the answer takes too long")
        text = b"".join(parts)
        if len(text) < int(response.headers.get("content-length", 0)):
            raise HTTPException("the answer ends early")
    except (OSError, HTTPException) as error:
        raise _unreachable(call, error) from error
    return text


def _unreachable(call: Call, error: Exception) -> CadastreError:
    reason = getattr(error, "reason", error)
    if isinstance(reason, ssl.SSLCertVerificationError):
        sentence = f"{call}: the certificate is not valid ({reason.verify_message}): see `cafile`"
        return CadastreError(sentence, code="certificate")
    return Unreachable(f"{call}: no answer: {reason or type(reason).__name__}", code="unreachable")


def _checked_url(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("The address of the server begins with https:// or http://")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("The address of the server has no user, no ? and no #")
    return url.rstrip("/")


def as_json(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False).encode()


def segment(name: object) -> str:
    """A part of a path."""
    return urllib.parse.quote(str(name), safe="")


def encoded(params: Mapping[str, Any]) -> str:
    """The parameters of a URL; a list is one that is repeated."""
    pairs: List[Tuple[str, str]] = []
    for name, value in params.items():
        values = list(value) if isinstance(value, (list, tuple, set, frozenset)) else [value]
        # Left out, such a filter would find everything.
        if not values or None in values:
            raise ValueError(f"{name} has no value: leave it out, or use {name}__isnull=True")
        pairs += [(name, str(one).lower() if isinstance(one, bool) else str(one)) for one in values]
    return urllib.parse.urlencode(pairs)
