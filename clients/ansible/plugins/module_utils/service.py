# Copyright: the authors of Cadastre
# MIT license, or GNU General Public License v3.0+ (https://www.gnu.org/licenses/gpl-3.0.txt)
"""Requests to a Cadastre, and the one way in which all modules write."""
from __future__ import absolute_import, division, print_function

__metaclass__ = type

import json
import re
import time
import zlib

from ansible.module_utils.basic import AnsibleModule, env_fallback
from ansible.module_utils.common.text.converters import to_bytes, to_native, to_text
from ansible.module_utils.urls import ConnectionError as TlsError
from ansible.module_utils.urls import open_url

try:
    from http.client import HTTPException
    from urllib.parse import quote, urlencode
except ImportError:  # Python 2, on old targets
    from httplib import HTTPException
    from urllib import quote, urlencode

TRIES = 4
LONGEST_PAUSE = 30

SERVER_OPTIONS = dict(
    url=dict(type="str", required=True, fallback=(env_fallback, ["CADASTRE_URL"])),
    token=dict(type="str", required=True, no_log=True, fallback=(env_fallback, ["CADASTRE_TOKEN"])),
    validate_certs=dict(type="bool", default=True),
    ca_path=dict(type="path"),
    timeout=dict(type="int", default=30),
)


class ServiceError(Exception):
    """What the service refuses, in its sentence, which names the field. `problem` is its whole answer."""

    def __init__(self, sentence, problem=None):
        super(ServiceError, self).__init__(sentence)
        self.problem = problem or {}


class Away(ServiceError):
    """The service does not answer, or cannot answer now."""


class Service:
    def __init__(self, option):
        """Option returns the value of an option by its name."""
        self.root = option("url").rstrip("/") + "/api/v1"
        self.connection = dict((name, option(name)) for name in ("validate_certs", "ca_path", "timeout"))
        token = option("token").strip()
        # Python would show the token in its error about such a header.
        if not re.match("[!-~]+$", token):
            raise ServiceError("token: This is not a token; one has no spaces and only ASCII characters")
        self.headers = {
            "Authorization": "Bearer " + token,
            "Accept-Encoding": "gzip",
            "Content-Type": "application/json",
        }

    def send(self, method, path, query=(), body=None, headers=None):
        """Returns the status, the headers and the JSON of the answer. It waits if the service says how long."""
        for tries_left in reversed(range(TRIES)):
            status, found, text = self._send_once(method, path, query, body, headers)
            pause = to_text(found.get("Retry-After") or "2")
            # An HTTP date is longer than anybody would wait.
            seconds = int(pause) if pause.isdigit() else LONGEST_PAUSE + 1
            if status not in (429, 503) or tries_left == 0 or seconds > LONGEST_PAUSE:
                break
            time.sleep(seconds)
        return status, found, self._read(status, text)

    def find(self, path, key, name):
        """Returns the record with this name, or None."""
        records = self.send("GET", path, {key: to_bytes(name)})[2]
        return records[0] if records else None

    def _send_once(self, method, path, query, body, headers):
        url = self.root + path + ("?" + urlencode(query) if query else "")
        try:
            try:
                answer = open_url(
                    url,
                    method=method,
                    data=None if body is None else to_bytes(json.dumps(body)),
                    headers=dict(self.headers, **(headers or {})),
                    # The token is for this one server, and must not be replaced by a password for it.
                    follow_redirects="none",
                    use_netrc=False,
                    decompress=False,
                    http_agent="cadastre.register",
                    **self.connection
                )
            except EnvironmentError as error:
                # Python raises answers with an error status.
                if not hasattr(error, "getcode"):
                    raise
                answer = error
            content = answer.read()
            if answer.headers.get("Content-Encoding") == "gzip":
                content = zlib.decompress(content, 16 + zlib.MAX_WBITS)
        except (EnvironmentError, HTTPException, TlsError, ValueError, zlib.error) as error:
            raise Away("%s does not answer: %s" % (self.root, to_native(error)))
        return answer.getcode(), answer.headers, to_text(content)

    def _read(self, status, text):
        try:
            answer = json.loads(text) if text else None
        except ValueError:
            answer = None
            if status < 300:
                raise Away("%s answers something else than a Cadastre" % self.root)
        if status < 300 or status == 304:
            return answer
        problem = answer if isinstance(answer, dict) else {}
        sentence = problem.get("detail") or "%s answers with the status %d" % (self.root, status)
        raise (Away if status == 429 or status >= 500 else ServiceError)(to_native(sentence), problem)


def run_module(path, key, fields):
    """The module for the records at this path, which have names in the field `key`."""
    options = dict(SERVER_OPTIONS, **fields)
    options["state"] = dict(type="str", choices=["present", "absent"], default="present")
    options[key] = dict(type="str", required=True)
    module = AnsibleModule(argument_spec=options, supports_check_mode=True)
    try:
        service = Service(module.params.get)
        write = delete if module.params["state"] == "absent" else make_so
        changed, before, after, headers = write(service, path, key, fields, module)
    except ServiceError as error:
        details = dict((name, error.problem[name]) for name in ("code", "errors") if name in error.problem)
        module.fail_json(msg=to_native(error), **details)
    shown = [dict((name, one[name]) for name in [key] + sorted(fields) if name in one) for one in (before, after)]
    module.exit_json(
        changed=changed,
        record=after or before,
        change_set=headers.get("Change-Set"),
        diff=dict(before=shown[0], after=shown[1]),
    )


def make_so(service, path, key, fields, module):
    """Returns whether something changed, the record before and after, and the headers of the answer."""
    name = module.params[key]
    given = dict((field, module.params[field]) for field in fields if module.params[field] is not None)
    body = dict((field, None if value == "" else value) for field, value in given.items())
    before = service.find(path, key, name) or {}
    target = "%s/by-%s/%s" % (path, key, quote(to_bytes(name), safe=""))
    status, headers, after = service.send("PUT", target, dry_run(module), body)
    return status != 204, before, (before if status == 204 else after), headers


def delete(service, path, key, fields, module):
    before = service.find(path, key, module.params[key])
    if before is None:
        return False, {}, {}, {}
    headers = service.send("DELETE", "%s/%d" % (path, before["id"]), dry_run(module))[1]
    return True, before, {}, headers


def dry_run(module):
    return {"dry_run": "true"} if module.check_mode else {}
