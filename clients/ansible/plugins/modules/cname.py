#!/usr/bin/python
# Copyright: the authors of Cadastre
# MIT license, or GNU General Public License v3.0+ (https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
module: cname
short_description: A cname of Cadastre
version_added: 1.0.0
description:
  - Makes or deletes a cname, which is a further name of an interface.
author: The authors of Cadastre (@cadastre)
options:
  name:
    description: The whole name, with its domain.
    type: str
    required: true
  interface:
    description: The name of the interface. A new cname needs one, and keeps it.
    type: str
extends_documentation_fragment:
  - cadastre.register.server
  - cadastre.register.server.module
"""

EXAMPLES = r"""
- name: A further name
  cadastre.register.cname:
    name: archiver.lab.example.org
    interface: archiver-03
"""

RETURN = r"""
record:
  description: The cname as it is now, or as it was before it was deleted.
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
        "/network/cnames",
        key="name",
        fields=dict(
            interface=dict(type="str"),
        ),
    )


if __name__ == "__main__":
    main()
