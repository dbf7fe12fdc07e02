"""The client: the kinds of records, and the changes of all of them."""

import os
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union, cast

from . import records
from .connection import Connection, Secret, segment
from .events import follow
from .resources import PER_PAGE, Resource, Walk, change_set_of, next_cursor


class Client(Connection):
    """A Cadastre server, and its records.

    `url` and `token` default to CADASTRE_URL and CADASTRE_TOKEN. With `username` and `password` the
    client logs in, for twelve hours. `cafile` is a file with the authority of the certificate, if that
    is not one of the system. One answer may take `timeout` seconds, and a request is tried again for
    `patience` seconds while the server is away or busy.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        username: Optional[str] = None,
        password: str = "",
        cafile: Optional[str] = None,
        timeout: float = 60,
        patience: float = 60,
    ) -> None:
        url = url or os.environ.get("CADASTRE_URL", "")
        token = token or os.environ.get("CADASTRE_TOKEN", "")
        if not url:
            raise ValueError("Give the url of the server, or set CADASTRE_URL")
        if username is None and not token:
            raise ValueError("Give a token, or set CADASTRE_TOKEN")
        super().__init__(url, token, cafile=cafile, timeout=timeout, patience=patience)
        if username is not None:
            self._token = Secret("")
            entered = {"username": username, "password": password}
            self._token = Secret(self.request("POST", "/user/login", entered).json()["access_token"])
        self.hosts = Resource[records.Host](self, "/network/hosts", "name")
        self.interfaces = Resource[records.Interface](self, "/network/interfaces", "name")
        self.networks = Resource[records.Network](self, "/network/networks", "vlan_name")
        self.scopes = Resource[records.Scope](self, "/network/scopes", "name")
        self.domains = Resource[records.Domain](self, "/network/domains", "name")
        self.groups = Resource[records.Group](self, "/network/groups", "name")
        self.cnames = Resource[records.Cname](self, "/network/cnames", "name")
        self.device_types = Resource[records.DeviceType](self, "/network/device_types", "name")
        self.items = Resource[records.Item](self, "/inventory/items", "ics_id")
        self.macs = Resource[records.MacAddress](self, "/inventory/macs", "address")
        self.manufacturers = Resource[records.Manufacturer](self, "/inventory/manufacturers", "name")
        self.models = Resource[records.Model](self, "/inventory/models", "name")
        self.locations = Resource[records.Location](self, "/inventory/locations", "name")
        self.statuses = Resource[records.Status](self, "/inventory/statuses", "name")
        self.actions = Resource[records.Action](self, "/inventory/actions", "name")
        self.users = Resource[records.User](self, "/user/users", "username")

    def comments(self, item: Union[int, str]) -> Resource[records.Comment]:
        """The comments of an item, which is named by its ICS id or primary key."""
        path = f"/inventory/items/{segment(item)}/comments"
        at = "/inventory/items/comments"
        return Resource[records.Comment](self, path, "body", records_at=at)

    def profile(self) -> Dict[str, Any]:
        """The user of the token."""
        return cast(Dict[str, Any], self.request("GET", "/user/profile").json())

    def changes(self, *, after: Optional[str] = None, **filters: Any) -> Walk[records.ChangeSet]:
        """The changes, the newest first; with `after`, an id or "0", those after it, the oldest first.

        A walk with `after` ends at the present. Its `cursor` is then the `after` of the next one.
        """
        name = "before" if after is None else "after"

        def fetch(cursor: Optional[str]) -> Tuple[List[records.ChangeSet], Optional[str], bool]:
            at = {} if cursor is None else {name: cursor}
            answer = self.request("GET", "/changes", params={"per_page": PER_PAGE, **filters, **at})
            found, following = answer.json(), next_cursor(answer, name)
            is_present = name == "after" and not found and following == cursor
            return found, following, following is None or is_present

        return Walk(fetch, after)

    def events(self, *, after: Optional[str] = None, **filters: Any) -> Iterator[records.ChangeSet]:
        """The changes from now on, or after an id, each as soon as it is committed, without an end.

        To continue another time, store the `id` of the last one. The connection is opened again whenever it
        breaks, for as long as that takes; no change is lost or repeated.
        """
        return follow(self, filters, after)

    def undo(self, change: object, *, dry_run: bool = False) -> records.ChangeSet:
        """Undoes all of a change set or nothing, by its id or by what `create`, `put` and so on returned."""
        change_set = change if isinstance(change, str) else change_set_of(change)
        if change_set is None:
            raise ValueError("Undo the id of a change set, or what was returned by a write")
        path = f"/changes/{segment(change_set)}/undo"
        answer = self.request("POST", path, {}, params={"dry_run": dry_run})
        return cast(records.ChangeSet, answer.json())
