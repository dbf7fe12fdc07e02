"""Following the server-sent events, one for each change."""

import json
import time
from http.client import HTTPException
from typing import Any, Dict, Iterable, Iterator, Mapping, Optional, cast

from .connection import LONGEST_PAUSE, Call, Connection, encoded, log
from .errors import TooManyRequests, Unreachable
from .records import ChangeSet

# The server sends something every 8 seconds, and wants to be left alone for 2 after an end.
LONGEST_SILENCE = 30.0
FIRST_PAUSE = 2.0


def follow(
    connection: Connection, filters: Mapping[str, Any], after: Optional[str]
) -> Iterator[ChangeSet]:
    """Opens the stream again, after what came last, whenever it ends."""
    pause = FIRST_PAUSE
    while True:
        headers = {} if after is None else {"Last-Event-ID": after}
        call = Call("GET", "/events", encoded(filters), None, headers)
        try:
            with connection.open(call, LONGEST_SILENCE) as stream:
                for event in _events(stream):
                    after = event.get("id", after)
                    pause = FIRST_PAUSE
                    if event.get("event") == "change":
                        yield cast(ChangeSet, json.loads(event["data"]))
            wait = pause
        except (OSError, HTTPException, Unreachable, TooManyRequests) as error:
            wait = getattr(error, "retry_after", None) or pause
            log.warning("%s; opening the stream again in %.0f seconds", error, wait)
        time.sleep(wait)
        pause = min(2 * pause, LONGEST_PAUSE)


def _events(lines: Iterable[bytes]) -> Iterator[Dict[str, str]]:
    """The fields of each event. A blank line ends one; a line that begins with a colon is a comment."""
    event: Dict[str, str] = {}
    for line in lines:
        text = line.decode().rstrip("\r\n")
        name, _, value = text.partition(":")
        if not text:
            yield event
            event = {}
        elif name:
            value = value[1:] if value.startswith(" ") else value
            event[name] = f"{event[name]}\n{value}" if name == "data" and name in event else value
