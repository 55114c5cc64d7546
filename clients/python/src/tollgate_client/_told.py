"""The content of a webhook or of an event in the feed."""

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
    """A change of a record. `isinstance` narrows the type of `body`."""

    kind: str
    """The kind of webhook, such as `notifyPayment`; `unknown` if this version of the library has no
    type for it.
    """
    body: NotificationBody
    """The body of the webhook."""
    subject: str
    """The record that changed: see `apply_once`."""
    sequence: int
    """The number of the record's change. A higher number is newer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification(Told):
    """A webhook with a valid signature. `isinstance` narrows the type of `body`."""

    replay_key: str
    """A key that two messages share only if exactly the same message arrives again (replay). Each
    delivery attempt of the gateway has a new key.
    """
    time: str
    """The text of the message's time header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Told):
    """An event of the feed: the content of a webhook, typed like one.

    Its subject is the same as that of the webhook, so `apply_once` skips whichever of the two
    arrives second.
    """

    cursor: str
    """The position of the event in the feed. Store it in the transaction in which you apply the
    event, and continue from it.
    """
    notification_id: str | None = None
    """The gateway's id of the webhook; absent in a stream."""
    created_time: str | None = None
    """The creation time; absent in a stream."""


class ToldFields(TypedDict):
    kind: str
    body: NotificationBody
    subject: str
    sequence: int


def read_told(content: bytes) -> ToldFields:
    """Unknown fields of a newer gateway are kept.

    A webhook without a record id is its own subject, because the gateway sends the same bytes in
    every attempt.
    """
    fields = object_in(content)
    if fields is None:
        raise MalformedResponseError("The webhook is signed, but it is not a JSON object.")
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
