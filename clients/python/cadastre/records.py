"""The fields of records, made from the OpenAPI document by tests/clients/python_records.ts."""

from typing import Any, Dict, List, Optional, TypedDict

Host = TypedDict("Host", {
    "id": int, "name": str, "fqdn": str, "is_ioc": bool, "device_type": str, "model": Optional[str],
    "description": Optional[str], "tags": List[str], "site": Dict[str, Any], "items": List[Any],
    "interfaces": List[Any], "automation_vars": Dict[str, Any], "automation_groups": List[Any],
    "user": Optional[str], "created_at": str, "updated_at": str})
Interface = TypedDict("Interface", {
    "id": int, "name": str, "is_main": bool, "ip": str, "netmask": str, "mac": Optional[str], "host": str,
    "network": str, "domain": Optional[str], "cnames": List[Any], "description": Optional[str],
    "tags": List[str], "site": Dict[str, Any], "device_type": Optional[str], "model": Optional[str],
    "user": Optional[str], "created_at": str, "updated_at": str})
Network = TypedDict("Network", {
    "id": int, "vlan_name": str, "vlan_id": int, "address": str, "netmask": str, "first_ip": str,
    "last_ip": str, "gateway": Optional[str], "description": Optional[str], "tags": List[str],
    "site": Dict[str, Any], "admin_only": bool, "sensitive": bool, "scope": str, "domain": Optional[str],
    "interfaces": List[Any], "user": Optional[str], "created_at": str, "updated_at": str})
Scope = TypedDict("Scope", {
    "id": int, "name": str, "description": Optional[str], "tags": List[str], "first_vlan": int,
    "last_vlan": int, "supernet": str, "domain": Optional[str], "networks": List[Any],
    "user": Optional[str], "created_at": str, "updated_at": str})
Domain = TypedDict("Domain", {
    "id": int, "name": str, "scopes": List[Any], "networks": List[Any], "user": Optional[str],
    "created_at": str, "updated_at": str})
Group = TypedDict("Group", {
    "id": int, "name": str, "type": str, "query": Optional[str], "vars": Dict[str, Any],
    "children": List[Any], "hosts": List[Any], "user": Optional[str], "created_at": str, "updated_at": str})
Cname = TypedDict("Cname", {
    "id": int, "name": str, "interface": Optional[str], "user": Optional[str], "created_at": str,
    "updated_at": str})
DeviceType = TypedDict("DeviceType", {
    "id": int, "name": str})
Item = TypedDict("Item", {
    "id": int, "ics_id": str, "serial_number": str, "quantity": int, "manufacturer": Optional[str],
    "model": Optional[str], "location": Optional[str], "status": Optional[str], "parent": Optional[str],
    "children": List[Any], "macs": List[Any], "comments": List[Any], "tags": List[str],
    "site": Dict[str, Any], "host": Optional[str], "stack_member": Optional[int],
    "history": List[Dict[str, Any]], "user": Optional[str], "created_at": str, "updated_at": str})
MacAddress = TypedDict("MacAddress", {
    "id": int, "address": str, "item": Optional[str]})
Manufacturer = TypedDict("Manufacturer", {
    "id": int, "name": str, "description": Optional[str], "qrcode": str})
Model = TypedDict("Model", {
    "id": int, "name": str, "description": Optional[str], "qrcode": str, "tags": List[str],
    "site": Dict[str, Any]})
Location = TypedDict("Location", {
    "id": int, "name": str, "description": Optional[str], "qrcode": str, "parent": Optional[str],
    "tags": List[str], "site": Dict[str, Any]})
Status = TypedDict("Status", {
    "id": int, "name": str, "description": Optional[str], "qrcode": str, "colour": Optional[str]})
Action = TypedDict("Action", {
    "id": int, "name": str, "description": Optional[str], "qrcode": str})
User = TypedDict("User", {
    "id": int, "username": str, "display_name": Optional[str], "email": Optional[str],
    "groups": Optional[List[str]]})
Comment = TypedDict("Comment", {
    "id": int, "item": Optional[str], "body": str, "user": Optional[str], "created_at": str,
    "updated_at": str})
ChangeSet = TypedDict("ChangeSet", {
    "id": str, "at": str, "user": Optional[str], "kind": str, "undoes": Optional[str],
    "undone_by": Optional[str], "events": List[Dict[str, Any]], "total": int})
