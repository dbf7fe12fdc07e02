#!/usr/bin/python
# Copyright: the authors of Cadastre
# MIT license, or GNU General Public License v3.0+ (https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: group
short_description: A group of hosts in Cadastre
version_added: 1.0.0
description:
  - Makes, changes or deletes a group of hosts, which has members or finds them by a query, and variables.
author: The authors of Cadastre (@cadastre)
options:
  name:
    description: The name.
    type: str
    required: true
  type:
    description: Whether the hosts are named, or found by the query.
    type: str
    choices: [static, query]
  query:
    description: The query that finds the hosts of a group of the type C(query).
    type: str
  hosts:
    description: The names of all hosts of a static group.
    type: list
    elements: str
  children:
    description: The names of all groups whose hosts belong to this group as well.
    type: list
    elements: str
  vars:
    description: All variables of the group.
    type: dict
extends_documentation_fragment:
  - cadastre.register.server
  - cadastre.register.server.module
"""

EXAMPLES = r"""
- name: A group with variables
  cadastre.register.group:
    name: archivers
    vars:
      retention_days: 30

- name: A group that finds its hosts
  cadastre.register.group:
    name: virtual
    type: query
    query: device_type:Virtual
"""

RETURN = r"""
record:
  description: The group as it is now, or as it was before it was deleted.
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
        "/network/groups",
        key="name",
        fields=dict(
            type=dict(type="str", choices=["static", "query"]),
            query=dict(type="str"),
            hosts=dict(type="list", elements="str"),
            children=dict(type="list", elements="str"),
            vars=dict(type="dict"),
        ),
    )


if __name__ == "__main__":
    main()
