"""What can go wrong: a class for each kind of answer that programs tell apart."""

import json
from email.message import Message
from typing import Any, Dict, List, Optional, Sequence


class CadastreError(Exception):
    """Its text is a sentence for people. Programs compare `code`, which stays the same: see docs/api.md.

    `errors` has `field`, `message` and `code` of each refused field, and `line` in an import. `cursor` is
    where a walk continues that this broke off.
    """

    cursor: Optional[str] = None

    def __init__(
        self,
        sentence: str,
        *,
        status: int = 0,
        code: str = "",
        errors: Sequence[Dict[str, Any]] = (),
        request_id: str = "",
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.errors = list(errors)
        self.request_id = request_id
        self.retry_after = retry_after


class Unreachable(CadastreError):
    """The server, or its database, did not answer for as long as it was tried."""


class TooManyRequests(CadastreError):
    """Wait for the seconds in `retry_after`."""


class NotAuthenticated(CadastreError):
    """There is no token, or it is not valid any more."""


class RightMissing(CadastreError):
    """The user or the token may not do this."""


class NotFound(CadastreError):
    """There is no such record, or it is hidden."""


class Changed(CadastreError):
    """The record was changed after it was read."""


class Invalid(CadastreError):
    """`errors` says which fields are refused, and why."""


BY_STATUS = {
    **{401: NotAuthenticated, 403: RightMissing, 404: NotFound, 412: Changed, 422: Invalid},
    **{429: TooManyRequests, 502: Unreachable, 503: Unreachable, 504: Unreachable},
}


def refusal(call: str, status: int, headers: "Message[str, str]", text: bytes) -> CadastreError:
    """The exception for an answer other than 2xx; `call` is the method and the path."""
    kind = BY_STATUS.get(status, CadastreError)
    if headers.get_content_type() == "application/x-ndjson":
        return _import_refusal(call, text)
    seconds = headers.get("retry-after", "")
    retry_after = float(seconds) if seconds.isdecimal() else None
    try:
        problem: Dict[str, Any] = json.loads(text)
        sentence, code = str(problem["detail"]), str(problem["code"])
    except (ValueError, LookupError, TypeError):
        target = f", which leads to {headers['location']}," if "location" in headers else ""
        sentence = f"{call}: the answer {status}{target} is not one of Cadastre"
        return kind(sentence, status=status, retry_after=retry_after)
    errors: List[Dict[str, Any]] = problem.get("errors", [])
    request_id = str(problem.get("request_id", ""))
    if status == 401 and not call.endswith("/user/login"):
        sentence = "The token is not valid any more: make a new one on your profile page, or log in"
    elif errors:
        sentence = "; ".join(f"{one['field']}: {one['message']}" for one in errors)
    elif status >= 500:
        sentence = f"{sentence} (request {request_id})"
    told: Dict[str, Any] = {"code": code, "errors": errors, "request_id": request_id}
    return kind(f"{call}: {sentence}", status=status, retry_after=retry_after, **told)


def _import_refusal(call: str, text: bytes) -> CadastreError:
    """Nothing was imported: the errors of all rows, with their lines."""
    *verdicts, _ = [json.loads(line) for line in text.splitlines()]
    errors = [{**error, "line": row["line"]} for row in verdicts for error in row["errors"]]
    first = errors[0]
    told = f"line {first['line']}: {first['field']}: {first['message']}"
    sentence = f"{call}: nothing was imported, there are errors: {len(errors)}, first in {told}"
    return Invalid(sentence, status=422, code="not_valid", errors=errors)
