#!/usr/bin/python
# Copyright: the authors of Cadastre
# MIT license, or GNU General Public License v3.0+ (https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: interface
short_description: An interface of a host in Cadastre
version_added: 1.0.0
description:
  - Makes, changes or deletes an interface, which is the address of a host in a network.
author: The authors of Cadastre (@cadastre)
options:
  name:
    description: The name.
    type: str
    required: true
  host:
    description: The name of the host. A new interface needs one, and keeps it.
    type: str
  network:
    description: The name of the network. A new interface needs one.
    type: str
  ip:
    description: The address. By default a new interface, or one that moves to another network, gets the first free one.
    type: str
  mac:
    description: The MAC address.
    type: str
  description:
    description: A description.
    type: str
extends_documentation_fragment:
  - cadastre.register.server
  - cadastre.register.server.module
"""

EXAMPLES = r"""
- name: A second interface with the first free address of its network
  cadastre.register.interface:
    name: archiver-03-backup
    host: archiver-03
    network: Backup
"""

RETURN = r"""
record:
  description: The interface as it is now, or as it was before it was deleted.
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
        "/network/interfaces",
        key="name",
        fields=dict(
            host=dict(type="str"),
            network=dict(type="str"),
            ip=dict(type="str"),
            mac=dict(type="str"),
            description=dict(type="str"),
        ),
    )


if __name__ == "__main__":
    main()
