# Copyright: the authors of Cadastre
# MIT license, or GNU General Public License v3.0+ (https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import absolute_import, division, print_function

__metaclass__ = type


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  url:
    description: The address of the Cadastre, such as C(https://cadastre.example.org). By default that in C(CADASTRE_URL).
    type: str
    required: true
  token:
    description: A token of the API. By default that in C(CADASTRE_TOKEN).
    type: str
    required: true
  validate_certs:
    description: Whether the certificate of the server has to be valid.
    type: bool
    default: true
  ca_path:
    description: A file of certificates of authorities to trust, if the system does not know them.
    type: path
  timeout:
    description: Seconds to wait for an answer.
    type: int
    default: 30
"""

    # For plugins, whose options can be read from the environment by Ansible.
    PLUGIN = r"""
options:
  url:
    env:
      - name: CADASTRE_URL
  token:
    env:
      - name: CADASTRE_TOKEN
"""

    # What all modules have in common.
    MODULE = r"""
options:
  state:
    description: Whether the record exists.
    type: str
    choices: [present, absent]
    default: present
attributes:
  check_mode:
    description: The service validates the change and answers as usual, but writes nothing.
    support: full
  diff_mode:
    description: Shows the fields of the record before and after.
    support: full
notes:
  - An option that is left out leaves its field as it is. An empty text removes the value of the field.
  - Runs where Python can reach the server, usually with C(connection=local) or C(delegate_to=localhost).
  - While the service is overloaded or restarts, the module waits for it, for some seconds.
"""
