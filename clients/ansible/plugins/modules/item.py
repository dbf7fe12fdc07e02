#!/usr/bin/python
# Copyright: the authors of Cadastre
# MIT license, or GNU General Public License v3.0+ (https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: item
short_description: An item of Cadastre
version_added: 1.0.0
description:
  - Makes, changes, moves or deletes an item, which is a piece of equipment. Only admins delete items.
author: The authors of Cadastre (@cadastre)
options:
  ics_id:
    description: The id on its label.
    type: str
    required: true
  serial_number:
    description: The serial number. A new item needs one.
    type: str
  quantity:
    description: How many there are.
    type: int
  manufacturer:
    description: The name of a manufacturer.
    type: str
  model:
    description: The name of a model.
    type: str
  location:
    description: The name of a location.
    type: str
  status:
    description: The name of a status.
    type: str
  parent:
    description: The ICS id of the item that it is inside of.
    type: str
  host:
    description: The name of the host that it is mounted on.
    type: str
  stack_member:
    description: Its place in the stack of the host.
    type: int
extends_documentation_fragment:
  - cadastre.register.server
  - cadastre.register.server.module
"""

EXAMPLES = r"""
- name: An item, and where it is
  cadastre.register.item:
    ics_id: AAA001
    serial_number: SN-4711
    location: Hall A
    host: archiver-03
"""

RETURN = r"""
record:
  description: The item as it is now, or as it was before it was deleted.
  type: dict
  returned: success
change_set:
  description: The id of the change, by which C(POST /changes/<id>/undo) takes it back.
  type: str
  returned: if something was written
"""

from ansible_collections.cadastre.register.plugins.module_utils.service import run_module


def main():
    run_module(
        "/inventory/items",
        key="ics_id",
        fields=dict(
            serial_number=dict(type="str"),
            quantity=dict(type="int"),
            manufacturer=dict(type="str"),
            model=dict(type="str"),
            location=dict(type="str"),
            status=dict(type="str"),
            parent=dict(type="str"),
            host=dict(type="str"),
            stack_member=dict(type="int"),
        ),
    )


if __name__ == "__main__":
    main()
