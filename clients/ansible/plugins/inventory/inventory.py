# Copyright: the authors of Cadastre
# MIT license, or GNU General Public License v3.0+ (https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import absolute_import, division, print_function

__metaclass__ = type

DOCUMENTATION = r"""
name: inventory
short_description: The hosts and groups of a Cadastre
version_added: 1.0.0
description:
  - Reads hosts, groups and variables from a Cadastre. The name of its file ends with C(cadastre.yml).
  - The variables of a host and of a group are those that they have in Cadastre. C(ansible_host) is the address of the
    main interface, unless a variable of the host sets it. The other facts are under C(cadastre), which has C(fqdn),
    C(device_type), C(is_ioc) and C(interfaces).
  - With C(cache=true) and a cache plugin that writes files, the last copy is used while the service does not answer,
    with a warning, even if it is older than C(cache_timeout). A copy that is too old is only read again if it has
    changed. The cache contains the variables, but not the token.
author: The authors of Cadastre (@cadastre)
options:
  plugin:
    description: The name of this plugin.
    type: str
    required: true
    choices: [cadastre.register.inventory]
  filters:
    description:
      - Selects hosts by C(scope), C(network) and C(group), each with a name or a list of names. A group includes the
        groups below it. Hosts that all of them select are read.
    type: dict
    default: {}
  query:
    description: Selects hosts by a query, as in the search, such as C(device_type:Virtual AND NOT is_ioc:true).
    type: str
  variables:
    description:
      - How far to trust those who edit variables in Cadastre.
      - With C(values), braces in them are text, and no template. Variables such as C(ansible_connection) still say how
        Ansible reaches a host.
      - With C(templates), Ansible evaluates their templates, which can run programs on this machine.
      - With C(none), they are left out, and C(ansible_host) is the address of the main interface.
    type: str
    choices: [none, values, templates]
    default: values
extends_documentation_fragment:
  - cadastre.register.server
  - cadastre.register.server.plugin
  - constructed
  - inventory_cache
"""

EXAMPLES = r"""
# lab.cadastre.yml, with CADASTRE_URL and CADASTRE_TOKEN in the environment
plugin: cadastre.register.inventory
filters:
  scope: Lab
query: NOT status:Spare
keyed_groups:
  - key: cadastre.device_type
    prefix: type
compose:
  fqdn: cadastre.fqdn
groups:
  iocs: cadastre.is_ioc
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.cache/cadastre
cache_timeout: 60
"""

import re
import time
from urllib.parse import parse_qs, urlsplit

from ansible.errors import AnsibleParserError
from ansible.module_utils.common.text.converters import to_native
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.utils.unsafe_proxy import wrap_var
from ansible_collections.cadastre.register.plugins.module_utils.service import Away, Service, ServiceError

try:
    from ansible.template import trust_as_template
except ImportError:

    def trust_as_template(text):
        """Before ansible-core 2.19 every text is a template unless it is marked."""
        return text


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):
    NAME = "cadastre.register.inventory"

    def verify_file(self, path):
        return super().verify_file(path) and path.endswith(("cadastre.yml", "cadastre.yaml"))

    def parse(self, inventory, loader, path, cache=True):
        super().parse(inventory, loader, path, cache)
        self._read_config_data(path)
        copy = self._read(self.get_cache_key(path), may_be_cached=cache)
        self._populate(copy["register"], copy["names"])

    def _read(self, key, may_be_cached):
        timeout = self.get_option("cache_timeout")
        last = None
        if self.get_option("cache"):
            # The copy never expires for the cache, so that there is one while the service is away.
            self.set_option("cache_timeout", 0)
            self.load_cache_plugin()
            last = self._cache.get(key)
        selection = [self.get_option("url"), self.get_option("filters"), self.get_option("query")]
        if last and last["selection"] != selection:
            last = None
        if last and may_be_cached and (timeout == 0 or time.time() - last["time"] < timeout):
            return last
        try:
            register, etag, names = self._request(last)
        except Away as error:
            if not last:
                raise AnsibleParserError(to_native(error))
            at = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(last["time"]))
            self.display.warning("cadastre: %s; this is the inventory of %s" % (error, at))
            return last
        except ServiceError as error:
            raise AnsibleParserError(to_native(error))
        copy = dict(selection=selection, time=time.time(), register=register, etag=etag, names=names)
        if self.get_option("cache"):
            self._cache[key] = copy
        return copy

    def _request(self, last):
        """Returns the hosts and groups, their ETag, and the names of the hosts that the query finds."""
        service = Service(self.get_option)
        filters = [("names", "safe")]
        for name, values in self.get_option("filters").items():
            filters += [(name, value) for value in (values if isinstance(values, list) else [values])]
        known = {"If-None-Match": last["etag"]} if last else {}
        status, headers, register = service.send("GET", "/network/export/ansible", filters, headers=known)
        if status == 304:
            register = last["register"]
        if not (isinstance(register, dict) and "_meta" in register):
            raise Away("%s answers something else than an inventory" % service.root)
        query = self.get_option("query")
        return register, headers.get("ETag"), self._names(service, query) if query else None

    def _names(self, service, query):
        params = dict(q=query, fields="name", cursor="*", per_page=100, skip_total="true")
        names = []
        while True:
            headers, hosts = service.send("GET", "/network/hosts", params)[1:]
            names += [host["name"] for host in hosts]
            if headers.get("X-Link-Omitted"):
                raise ServiceError("query: The query is too long to read the list to its end")
            following = re.search('<([^>]+)>; rel="next"', headers.get("Link") or "")
            if not following:
                return names
            params["cursor"] = parse_qs(urlsplit(following.group(1)).query)["cursor"][0]

    def _populate(self, register, names):
        trust = self.get_option("variables")
        hosts = register["_meta"]["hostvars"]
        if names is not None:
            hosts = dict((name, hosts[name]) for name in names if name in hosts)
        for name, variables in hosts.items():
            self.inventory.add_host(name)
            self._set_variables(name, only_facts(variables) if trust == "none" else variables)
        groups = dict((name, group) for name, group in register.items() if name != "_meta")
        for name, group in groups.items():
            self.inventory.add_group(name)
            self._set_variables(name, {} if trust == "none" else group.get("vars", {}))
        for name, group in groups.items():
            for child in group.get("children", []):
                self.inventory.add_child(name, child)
            for host in group["hosts"]:
                if host in hosts:
                    self.inventory.add_host(host, group=name)
        for name in hosts:
            self._construct(name)

    def _set_variables(self, name, variables):
        for variable, value in variables.items():
            # Our facts are never templates.
            is_template = self.get_option("variables") == "templates" and variable != "cadastre"
            mark = trust_as_template if is_template else wrap_var
            self.inventory.set_variable(name, variable, marked(value, mark))

    def _construct(self, host):
        strict = self.get_option("strict")
        variables = self.inventory.get_host(host).get_vars()
        self._set_composite_vars(self.get_option("compose"), variables, host, strict)
        self._add_host_to_composed_groups(self.get_option("groups"), {}, host, strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), {}, host, strict)


def only_facts(variables):
    """Without what people wrote."""
    facts = variables["cadastre"]
    addresses = [one["ip"] for one in facts["interfaces"][:1]]
    return dict(cadastre=facts, **dict(ansible_host=addresses[0]) if addresses else {})


def marked(value, mark):
    """Marks texts that could be templates. Only those: some programs cannot read a marked one from ansible-inventory."""
    if isinstance(value, dict):
        return dict((name, marked(one, mark)) for name, one in value.items())
    if isinstance(value, list):
        return [marked(one, mark) for one in value]
    return mark(value) if isinstance(value, str) and "{" in value else value
