#!/usr/bin/python
# Copyright: the authors of Cadastre
# MIT license, or GNU General Public License v3.0+ (https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: network
short_description: A network of Cadastre
version_added: 1.0.0
description:
  - Makes, changes or deletes a network, which is a VLAN and a block of addresses in a scope. That needs an admin.
author: The authors of Cadastre (@cadastre)
options:
  vlan_name:
    description: The name.
    type: str
    required: true
  vlan_id:
    description: The number of the VLAN. A new network needs one, and keeps it.
    type: int
  scope:
    description: The name of the scope. A new network needs one, and keeps it.
    type: str
  address:
    description: The block, such as C(10.1.3.0/24).
    type: str
  first_ip:
    description: The first address that interfaces get.
    type: str
  last_ip:
    description: The last address that interfaces get.
    type: str
  gateway:
    description: The address of the gateway. A new network needs it; an empty text means that there is none.
    type: str
  domain:
    description: The name of the domain, by default that of the scope.
    type: str
  description:
    description: A description.
    type: str
  admin_only:
    description: Whether only admins change the hosts there.
    type: bool
  sensitive:
    description: Whether only admins and auditors see the network and its hosts.
    type: bool
extends_documentation_fragment:
  - cadastre.register.server
  - cadastre.register.server.module
"""

EXAMPLES = r"""
- name: A network
  cadastre.register.network:
    vlan_name: Backup
    vlan_id: 3
    scope: Lab
    address: 10.1.3.0/24
    first_ip: 10.1.3.1
    last_ip: 10.1.3.200
    gateway: 10.1.3.254
"""

RETURN = r"""
record:
  description: The network as it is now, or as it was before it was deleted.
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
        "/network/networks",
        key="vlan_name",
        fields=dict(
            vlan_id=dict(type="int"),
            scope=dict(type="str"),
            address=dict(type="str"),
            first_ip=dict(type="str"),
            last_ip=dict(type="str"),
            gateway=dict(type="str"),
            domain=dict(type="str"),
            description=dict(type="str"),
            admin_only=dict(type="bool"),
            sensitive=dict(type="bool"),
        ),
    )


if __name__ == "__main__":
    main()
