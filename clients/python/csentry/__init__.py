"""The library of the former system, on top of Cadastre: programs that were written for it run unchanged.

Its `ansible_vars` and `ansible_groups` are the `automation_vars` and `automation_groups` of Cadastre. Both
spellings work, and records have both.
"""

import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union, cast

from cadastre import Client, Resource

Row = Dict[str, Any]
Id = Union[int, str]

FORMER = {"ansible_vars": "automation_vars", "ansible_groups": "automation_groups"}


class Rows(List[Row]):
    """A list that is an iterator, too: programs take what `get_...` returns for either."""

    _rest: Optional[Iterator[Row]] = None

    def __next__(self) -> Row:
        self._rest = self._rest or iter(self)
        return next(self._rest)


def _methods(kind: str, order: str = "") -> Tuple[Callable[..., Any], ...]:
    """Methods that list, create, change and delete; `order` is that of the fields of a new record."""
    names = order.split()

    def get(self: "CSEntry", **filters: Any) -> Rows:
        return _rows(getattr(self.client, kind), filters)

    def create(self: "CSEntry", *values: Any, **fields: Any) -> Row:
        if len(values) > len(names):
            raise TypeError(f"Too many arguments; they are {', '.join(names)}")
        given = {**dict(zip(names, values)), **fields}
        # None is an argument that was left out.
        given = {name: value for name, value in given.items() if value is not None}
        return _both(getattr(self.client, kind).create(**_renamed(given)))

    def update(self: "CSEntry", id_: Id, **fields: Any) -> Row:
        return _both(getattr(self.client, kind).update(id_, **_renamed(fields)))

    def delete(self: "CSEntry", id_: Id) -> Optional[str]:
        return cast(Optional[str], getattr(self.client, kind).delete(id_))

    return get, create, update, delete


def _renamed(fields: Row) -> Row:
    return {FORMER.get(name, name): value for name, value in fields.items()}


def _both(record: Any) -> Row:
    return {**record, **{old: record[new] for old, new in FORMER.items() if new in record}}


def _rows(resource: Resource[Any], filters: Row) -> Rows:
    return Rows(_both(one) for one in resource.list(**_renamed(filters)))


HOST = "name device_type is_ioc description items ansible_vars ansible_groups"
NETWORK = "vlan_name vlan_id address first_ip last_ip gateway scope"
ITEM = "serial_number ics_id quantity manufacturer model location status parent_id host_id"


class CSEntry:
    """`url` and `token` default to CSENTRY_URL and CSENTRY_TOKEN, then to those of `cadastre.Client`."""

    def __init__(
        self, token: Optional[str] = None, url: Optional[str] = None, **options: Any
    ) -> None:
        url = url or os.environ.get("CSENTRY_URL") or os.environ.get("CADASTRE_URL")
        if not url:
            raise ValueError("Name the server: CSEntry(token=..., url=...), or set CSENTRY_URL")
        self.client = Client(url, token or os.environ.get("CSENTRY_TOKEN"), **options)

    get_users = _methods("users")[0]
    get_hosts, create_host, update_host, delete_host = _methods("hosts", HOST)
    get_interfaces, create_interface, update_interface, delete_interface = _methods(
        "interfaces", "network name host ip mac"
    )
    get_networks, create_network, update_network, delete_network = _methods(
        "networks", f"{NETWORK} domain_id admin_only sensitive description"
    )
    get_scopes, create_scope, update_scope, delete_scope = _methods(
        "scopes", "name first_vlan last_vlan supernet domain_id description"
    )
    get_domains, create_domain, update_domain, delete_domain = _methods("domains", "name")
    get_groups, create_group, update_group, delete_group = _methods("groups", "name vars")
    get_cnames, create_cname, update_cname, delete_cname = _methods("cnames", "name interface_id")
    get_items, create_item, update_item, delete_item = _methods("items", ITEM)
    get_macs, create_mac, update_mac, delete_mac = _methods("macs", "address item_id")
    get_actions = _methods("actions")[0]
    get_locations, create_location, update_location, delete_location = _methods(
        "locations", "name description"
    )
    get_manufacturers, create_manufacturer, update_manufacturer, delete_manufacturer = _methods(
        "manufacturers", "name description"
    )
    get_models, create_model, update_model, delete_model = _methods("models", "name description")
    get_statuses, create_status, update_status, delete_status = _methods(
        "statuses", "name description"
    )

    def get_profile(self) -> Row:
        return self.client.profile()

    def search_hosts(self, q: Optional[str] = None, **filters: Any) -> Rows:
        """Hosts with their interfaces and items as whole records."""
        found = Resource[Row](self.client, "/network/hosts/search", "name")
        return _rows(found, filters if q is None else {"q": q, **filters})

    def get_host(self, name: str) -> Optional[Row]:
        return next(iter(self.get_hosts(name=name)), None)

    def get_item(self, id_: Id) -> Row:
        return _both(self.client.items.get(id_))

    def get_item_comments(self, id_: Id) -> Rows:
        return _rows(self.client.comments(id_), {})

    def create_item_comment(self, id_: Id, body: str) -> Row:
        return _both(self.client.comments(id_).create(body=body))

    def delete_item_comment(self, comment_id: int) -> None:
        self.client.comments("").delete(comment_id)
