# Copyright: the authors of Cadastre
# MIT license, or GNU General Public License v3.0+ (https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
name: free_address
short_description: The next free address of a network of Cadastre
version_added: 1.0.0
description:
  - Returns the first free address of the range of a network.
  - It reserves nothing, and does not know of hosts that the token may not see. To get an address that nobody else gets,
    leave out C(ip) of M(cadastre.register.interface).
author: The authors of Cadastre (@cadastre)
options:
  _terms:
    description: The names of networks.
    type: list
    elements: str
    required: true
extends_documentation_fragment:
  - cadastre.register.server
  - cadastre.register.server.plugin
"""

EXAMPLES = r"""
- name: Show the next free address
  ansible.builtin.debug:
    msg: "{{ lookup('cadastre.register.free_address', 'CSLab') }}"
"""

RETURN = r"""
_raw:
  description: An address of each network.
  type: list
  elements: str
"""

from ansible.errors import AnsibleLookupError
from ansible.module_utils.common.text.converters import to_native
from ansible.plugins.lookup import LookupBase
from ansible_collections.cadastre.register.plugins.module_utils.service import Service, ServiceError

PATH = "/network/networks"


class LookupModule(LookupBase):
    def run(self, terms, variables=None, **kwargs):
        self.set_options(var_options=variables, direct=kwargs)
        try:
            service = Service(self.get_option)
            return [free_address(service, name) for name in terms]
        except ServiceError as error:
            raise AnsibleLookupError(to_native(error))


def free_address(service, name):
    network = service.find(PATH, "vlan_name", name)
    if network is None:
        raise ServiceError("network: '%s' is not a valid network" % name)
    found = service.send("GET", "%s/%d/free_address" % (PATH, network["id"]))[2]
    if found["ip"] is None:
        raise ServiceError("ip: no address left in %s" % name)
    return found["ip"]
