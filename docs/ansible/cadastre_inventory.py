#!/usr/bin/env python3
"""An inventory for Ansible out of Cadastre.

    export CADASTRE_URL=https://cadastre.example.org CADASTRE_TOKEN=cad_…
    ansible-inventory -i cadastre_inventory.py --graph

CADASTRE_QUERY chooses hosts, such as "scope=Lab&group=web&names=safe". What was read last is kept in
CADASTRE_CACHE (a directory, ~/.cache/cadastre otherwise) and read again only when it has changed. While
the server does not answer, the kept inventory is used, with a warning on standard error.
"""

import argparse
import hashlib
import http.client
import json
import os
import pathlib
import sys
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE = 30


class Unfollowed(urllib.request.HTTPRedirectHandler):
    """The token is for the one server that it was given for."""

    def redirect_request(self, *_):
        return None


def main():
    asked = arguments()
    url, token = address(), setting("CADASTRE_TOKEN")
    place = cache(url)
    kept = recalled(place)
    try:
        inventory = read(url, token, place, kept)
    except (http.client.HTTPException, OSError, ValueError) as error:
        if not kept or refuses(error):
            sys.exit(f"cadastre: {message_of(error)}")
        print(
            f"cadastre: warning: {message_of(error)}; this is the inventory of {age(place)}",
            file=sys.stderr,
        )
        inventory = json.loads(kept["text"])
    if asked.list:
        answer = inventory
    else:
        answer = inventory["_meta"]["hostvars"].get(asked.host, {})
    json.dump(answer, sys.stdout)


def refuses(error):
    """The server is there and says no; in every other case it is away."""
    return isinstance(error, urllib.error.HTTPError) and error.code < 500


def arguments():
    parser = argparse.ArgumentParser(description="An inventory for Ansible out of Cadastre")
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--list", action="store_true", help="hosts, groups and variables")
    wanted.add_argument("--host", help="the variables of one host")
    return parser.parse_args()


def address():
    query = os.environ.get("CADASTRE_QUERY", "")
    root = setting("CADASTRE_URL").rstrip("/")
    return f"{root}/api/v1/network/export/ansible" + (f"?{query}" if query else "")


def setting(name):
    return os.environ.get(name) or sys.exit(f"cadastre: set {name}")


def read(url, token, place, kept):
    """The inventory: what was kept, if that still holds."""
    headers = {"Authorization": f"Bearer {token}"}
    if kept:
        headers["If-None-Match"] = kept["etag"]
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.build_opener(Unfollowed).open(request, timeout=PATIENCE) as answer:
            text = answer.read().decode()
            inventory = parsed(text)
            keep(place, {"etag": answer.headers["ETag"], "text": text})
            return inventory
    except urllib.error.HTTPError as error:
        if error.code == 304 and kept:
            confirm(place)
            return json.loads(kept["text"])
        raise


def parsed(text):
    """A proxy may answer with a page of its own."""
    try:
        inventory = json.loads(text)
        if isinstance(inventory["_meta"]["hostvars"], dict):
            return inventory
    except (ValueError, LookupError, TypeError):
        pass
    raise ValueError("the server answers something that is no inventory")


def cache(url):
    default = pathlib.Path.home() / ".cache" / "cadastre"
    folder = pathlib.Path(os.environ.get("CADASTRE_CACHE") or default)
    return folder / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.json"


def recalled(place):
    try:
        kept = json.loads(place.read_text())
        parsed(kept["text"])
        return kept if kept["etag"] else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def keep(place, answer):
    """For its owner alone, and never half of it; without a cache it works too."""
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=place.parent, delete=False) as file:
            json.dump(answer, file)
        os.replace(file.name, place)
    except OSError as error:
        print(f"cadastre: nothing was kept: {error}", file=sys.stderr)


def confirm(place):
    """The time of the file is when the server last said that it holds."""
    try:
        os.utime(place)
    except OSError:
        pass


def age(place):
    try:
        return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(place.stat().st_mtime))
    except OSError:
        return "an earlier time"


def message_of(error):
    """The sentence of the server, where it is one of ours."""
    try:
        return json.loads(error.read())["detail"]
    except (AttributeError, ValueError, LookupError, TypeError, OSError):
        return error


if __name__ == "__main__":
    main()
