"""The records of one kind: how they are listed, read and written."""

import json
import re
import urllib.parse
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, Iterable, Iterator, List, Mapping, Optional
from typing import Sequence, Tuple, TypeVar, Union, cast

from .connection import Answer, Connection, as_json, segment
from .errors import CadastreError, Changed

R = TypeVar("R")
Id = Union[int, str]
Etag = Optional[str]
Page = Tuple[List[R], Optional[str], bool]

PER_PAGE = 100
# The server takes at most three minutes.
LONGEST_IMPORT = 200.0
OUTCOMES = {201: "made", 200: "changed", 204: "unchanged"}


class Record(Dict[str, Any]):
    """A record is a dict. Type checkers see the TypedDict of its kind; `etag_of` reads its version."""

    etag: Etag = None
    change_set: Optional[str] = None
    read_with: Mapping[str, Any] = {}


def etag_of(record: object) -> Etag:
    """The version of a record, as it was read or written; None for one from a list."""
    return getattr(record, "etag", None)


def change_set_of(written: object) -> Optional[str]:
    """The id of the change set of what `create`, `update`, `put`, or `import_rows` returned."""
    return getattr(written, "change_set", None)


@dataclass(frozen=True)
class Put(Generic[R]):
    """What `put` did: `outcome` is made, changed or unchanged. An unchanged record is not sent."""

    outcome: str
    record: Optional[R]
    change_set: Optional[str]


@dataclass(frozen=True)
class Imported:
    """How many rows an import wrote, and a verdict on each of them."""

    applied: int
    refused: int
    change_set: Optional[str]
    verdicts: List[Dict[str, Any]]


class Walk(Iterator[R]):
    """Iterates over all matches, and reads them page by page.

    If an error breaks it off, iterate again: it goes on where it was. Another process goes on by
    `cursor`, with the page that this one has not finished.
    """

    def __init__(self, fetch: "Callable[[Optional[str]], Page[R]]", cursor: Optional[str]) -> None:
        self._fetch = fetch
        self._begin = self._next = cursor
        self._page: List[R] = []
        self._is_last = False

    @property
    def cursor(self) -> Optional[str]:
        return self._begin if self._page else self._next

    def __iter__(self) -> "Walk[R]":
        return self

    def __next__(self) -> R:
        while not self._page:
            if self._is_last:
                raise StopIteration
            try:
                found, following, self._is_last = self._fetch(self._next)
            except CadastreError as error:
                error.cursor = self._next
                raise
            self._page = found[::-1]
            self._begin, self._next = self._next, following
        return self._page.pop()


class Resource(Generic[R]):
    """The records of one kind. `key` is the field that names one."""

    def __init__(self, connection: Connection, path: str, key: str, *, records_at: str = "") -> None:
        self._connection = connection
        self._path = path
        self._key = key
        self._records_at = records_at or path

    def list(
        self,
        q: Optional[str] = None,
        *,
        fields: Sequence[str] = (),
        per_page: int = PER_PAGE,
        cursor: str = "*",
        **filters: Any,
    ) -> Walk[R]:
        """All matches in the order of their ids; none is lost or repeated while others write.

        The filters are those of the API: `network=["a", "b"]`, `name__startswith="web"`,
        `recursive=True`. `cursor` is that of a walk with the same filters that was broken off.
        """
        params = {"per_page": per_page, **filters, **({} if q is None else {"q": q})}
        if fields:
            params["fields"] = ",".join(fields)
        read_with = {name: params[name] for name in params if name in ("fields", "recursive")}

        def fetch(at: Optional[str]) -> "Page[R]":
            answer = self._connection.request("GET", self._path, params={**params, "cursor": at})
            found = [self._listed(one, read_with) for one in answer.json()]
            following = next_cursor(answer, "cursor")
            return found, following, following is None

        return Walk(fetch, cursor)

    def get(self, id: Id, /, **params: Any) -> R:
        """One record by its id; with `at="2026-01-31 14:05"` as it was then."""
        return self._single(self._connection.request("GET", self._at(id), params=params))

    def find(self, name: str, /) -> Optional[R]:
        """The record of this name, or None."""
        filters: Dict[str, Any] = {self._key: name}
        for one in self.list(fields=["id"], **filters):
            return self.get(cast(Record, one)["id"])
        return None

    def create(self, *, dry_run: bool = False, **fields: Any) -> R:
        return self._single(self._send("POST", self._path, fields, dry_run))

    def update(
        self, record: Union[R, Id], /, *, if_match: Etag = None, dry_run: bool = False, **fields: Any
    ) -> R:
        """Changes these fields. With a record instead of its id, `Changed` is raised if it is outdated."""
        path, etag = self._version(record, if_match)
        return self._single(self._send("PATCH", path, fields, dry_run, etag))

    def put(
        self, name: str, /, *, if_match: Etag = None, dry_run: bool = False, **fields: Any
    ) -> Put[R]:
        """Sees to it that the record of this name exists with these fields; its others stay as they are."""
        path = f"{self._path}/by-{self._key}/{segment(name)}"
        answer = self._send("PUT", path, fields, dry_run, if_match)
        record = self._single(answer) if answer.text else None
        return Put(OUTCOMES[answer.status], record, answer.headers.get("change-set"))

    def delete(
        self, record: Union[R, Id], /, *, if_match: Etag = None, dry_run: bool = False
    ) -> Optional[str]:
        """Returns the id of the change set, which can be undone."""
        path, etag = self._version(record, if_match)
        return self._send("DELETE", path, None, dry_run, etag).headers.get("change-set")

    def import_rows(
        self, rows: Iterable[Mapping[str, Any]], *, apply: str = "all", dry_run: bool = False
    ) -> Imported:
        """Creates and changes many records as one change set.

        If a row is refused, nothing is written and `Invalid` is raised; `apply="good"` writes the others.
        """
        answer = self._connection.request(
            "POST",
            f"{self._path}/import",
            b"\n".join(as_json(row) for row in rows),
            params={"apply": apply, "dry_run": dry_run},
            headers={"Content-Type": "application/x-ndjson"},
            timeout=max(LONGEST_IMPORT, self._connection.timeout),
        )
        *verdicts, summary = [json.loads(line) for line in answer.text.splitlines()]
        return Imported(verdicts=verdicts, **summary)

    def _send(self, method: str, path: str, fields: Any, dry_run: bool, etag: Etag = None) -> Answer:
        headers = {} if etag is None else {"If-Match": etag}
        params = {"dry_run": True} if dry_run else {}
        return self._connection.request(method, path, fields, params=params, headers=headers)

    def _at(self, id: object) -> str:
        return f"{self._records_at}/{segment(id)}"

    def _version(self, record: Union[R, Id], etag: Etag) -> Tuple[str, Etag]:
        """The path of a record, and the version of it that may be overwritten."""
        if not isinstance(record, dict):
            return self._at(record), etag
        path = self._at(record["id"])
        if etag or etag_of(record):
            return path, etag or etag_of(record)
        # It is from a list, which has no versions. The present one is right if nothing differs.
        now = self.get(record["id"], **getattr(record, "read_with", {}))
        if now != record:
            sentence = f"{path}: The record has changed since it was listed"
            raise Changed(sentence, status=412, code="changed_since")
        return path, etag_of(now)

    def _listed(self, fields: Dict[str, Any], read_with: Mapping[str, Any]) -> R:
        record = Record(fields)
        record.read_with = read_with
        return cast(R, record)

    def _single(self, answer: Answer) -> R:
        record = Record(answer.json())
        record.etag = answer.headers.get("etag")
        record.change_set = answer.headers.get("change-set")
        return cast(R, record)


def next_cursor(answer: Answer, name: str) -> Optional[str]:
    """This parameter of the link `next`. The link itself is not followed."""
    if "x-link-omitted" in answer.headers:
        raise CadastreError("The filters are too long for a walk: ask for fewer values at a time")
    link = re.search(r'<([^>]*)>; rel="next"', answer.headers.get("link", ""))
    return urllib.parse.parse_qs(urllib.parse.urlsplit(link[1]).query)[name][0] if link else None
