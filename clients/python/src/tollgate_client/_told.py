"""What was told: by a notification, or in the feed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from . import models
from ._model import Model
from ._notifications import NOTIFICATIONS, NotificationBody, NotificationFacts
from ._read_answer import object_in
from .errors import MalformedResponseError


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What was told of a record. `isinstance` gives `body` its type."""

    kind: str
    """`notifyPayment` and so on; `unknown` if this version of the library has no type for it."""
    body: NotificationBody
    """What was told."""
    subject: str
    """The record that it tells of: see `apply_once`."""
    sequence: int
    """Which change of the record it tells of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification(Told):
    """A notification whose signature holds. `isinstance` gives `body` its type."""

    replay_key: str
    """The same only if the very same message comes again. Every attempt of the gateway has a new one."""
    time: str
    """The text of its time header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Told):
    """An entry of the feed: what was or will be told by notification, typed like one.

    Its subject is that of the notification, so whichever of the two comes second is old news to
    `apply_once`.
    """

    cursor: str
    """Its place in the feed.

    Keep it in the transaction in which you apply the event, and go on from there.
    """
    notification_id: str | None = None
    """The gateway's name for the notification; a stream does not tell it."""
    created_time: str | None = None
    """When it happened; a stream does not tell it."""


class ToldFields(TypedDict):
    kind: str
    body: NotificationBody
    subject: str
    sequence: int


def read_told(content: bytes) -> ToldFields:
    """What a newer gateway adds is there as well.

    A notification that names no record is its own subject: the gateway sends the same bytes in every
    attempt.
    """
    fields = object_in(content)
    if fields is None:
        raise MalformedResponseError("The notification is signed, but it is not a JSON object.")
    facts = _facts_of(fields)
    kind = facts.kind if facts else "unknown"
    record = fields.get(facts.subject_field or "") if facts else None
    sequence = fields.get("sequence")
    return {
        "kind": kind,
        "body": getattr(models, facts.body).from_dict(fields) if facts else Model.from_dict(fields),
        "subject": f"{kind} {record if isinstance(record, str) else hashlib.sha256(content).hexdigest()}",
        "sequence": sequence if isinstance(sequence, int) else 0,
    }


def _facts_of(fields: Mapping[str, Any]) -> NotificationFacts | None:
    notify_type = fields.get("notifyType")
    for facts in NOTIFICATIONS:
        if isinstance(notify_type, str):
            if notify_type in facts.notify_types:
                return facts
        elif not facts.notify_types and all(name in fields for name in facts.required_fields):
            return facts
    return None
