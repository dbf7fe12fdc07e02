#!/usr/bin/python
# Copyright: the authors of Cadastre
# MIT license, or GNU General Public License v3.0+ (https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: host
short_description: A host of Cadastre
version_added: 1.0.0
description:
  - Makes, changes or deletes a host. With C(network), a new host gets its first interface and an address at once.
author: The authors of Cadastre (@cadastre)
options:
  name:
    description: The name.
    type: str
    required: true
  device_type:
    description: The name of a device type. A new host needs one.
    type: str
  is_ioc:
    description: Whether the host is an IOC.
    type: bool
  description:
    description: A description.
    type: str
  items:
    description: The ICS ids of the items that the host runs on.
    type: list
    elements: str
  automation_groups:
    description: The names of all groups of the host that have no query.
    type: list
    elements: str
  automation_vars:
    description: All variables of the host for automation.
    type: dict
  network:
    description: The network of the first interface. Only a new host takes it.
    type: str
  ip:
    description: The address of the first interface, by default the first free one. Only a new host takes it.
    type: str
  mac:
    description: The MAC address of the first interface. Only a new host takes it.
    type: str
extends_documentation_fragment:
  - cadastre.register.server
  - cadastre.register.server.module
"""

EXAMPLES = r"""
- name: A virtual machine with the first free address of its network
  cadastre.register.host:
    name: archiver-03
    device_type: Virtual
    network: CSLab
    mac: "02:42:42:00:00:01"
    automation_groups: [archivers]
    automation_vars:
      retention_days: 30

- name: A host that is gone, with its interfaces and cnames
  cadastre.register.host:
    name: archiver-01
    state: absent
"""

RETURN = r"""
record:
  description: The host as it is now, or as it was before it was deleted.
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
        "/network/hosts",
        key="name",
        fields=dict(
            device_type=dict(type="str"),
            is_ioc=dict(type="bool"),
            description=dict(type="str"),
            items=dict(type="list", elements="str"),
            automation_groups=dict(type="list", elements="str"),
            automation_vars=dict(type="dict"),
            network=dict(type="str"),
            ip=dict(type="str"),
            mac=dict(type="str"),
        ),
    )


if __name__ == "__main__":
    main()
