"""Tollgate's client library: builds, signs and sends requests, and verifies responses and
webhooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._answer import Answer
from ._any_answer import AnyAnswer
from ._feed import EventsOptions
from ._keys import PrivateKeyInput, PublicKeyInput
from ._lazy import lazy
from ._model import Model, OpenEnum
from ._notifications import NotificationBody
from ._options import CallOptions
from ._proxy import ProxyInput
from ._request_id import new_request_id
from ._result_codes import CodeFacts
from ._settings import ClientOptions, GatewayKeysInput, WebhookOptions
from ._told import Event, Notification, Told
from ._version import VERSION as __version__
from .apply_once import APPLY_ONCE_SQL, apply_once, apply_once_async
from .client import Tollgate
from .clock import Clock, SystemClock
from .errors import (
    AuthenticationError,
    ConfigurationError,
    ConnectionError,
    DeclinedError,
    GatewayError,
    HttpStatusError,
    IdempotencyConflictError,
    InvalidKeyError,
    InvalidRequestError,
    MalformedResponseError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    ResultError,
    ServerError,
    SignatureVerificationError,
    TimeoutError,
)
from .http_transport import HttpTransport
from .httpx_transport import HttpxClientTransport
from .log import LogEntry, Logger
from .money import Money
from .observer import ObservedCall, ObservedEnd, Observer
from .times import format_time, parse_time
from .transport import (
    AsyncStreamResponse,
    AsyncStreamTransport,
    AsyncTransport,
    StreamResponse,
    StreamTransport,
    Transport,
    TransportRequest,
    TransportResponse,
)
from .webhooks import Webhooks

if TYPE_CHECKING:
    from .async_client import AsyncTollgate
    from .async_transport import HttpxTransport, ThreadTransport

# The asynchronous names are loaded on first use, because synchronous programs should not load
# `asyncio`.
__getattr__, __dir__ = lazy(
    __name__,
    {
        "AsyncTollgate": "async_client",
        "HttpxTransport": "async_transport",
        "ThreadTransport": "async_transport",
    },
    globals(),
)

__all__ = [
    "APPLY_ONCE_SQL",
    "Answer",
    "AnyAnswer",
    "AsyncStreamResponse",
    "AsyncStreamTransport",
    "AsyncTollgate",
    "AsyncTransport",
    "AuthenticationError",
    "CallOptions",
    "ClientOptions",
    "Clock",
    "CodeFacts",
    "ConfigurationError",
    "ConnectionError",
    "DeclinedError",
    "Event",
    "EventsOptions",
    "GatewayError",
    "GatewayKeysInput",
    "HttpStatusError",
    "HttpTransport",
    "HttpxClientTransport",
    "HttpxTransport",
    "IdempotencyConflictError",
    "InvalidKeyError",
    "InvalidRequestError",
    "LogEntry",
    "Logger",
    "MalformedResponseError",
    "Model",
    "Money",
    "NotFoundError",
    "Notification",
    "NotificationBody",
    "ObservedCall",
    "ObservedEnd",
    "Observer",
    "OpenEnum",
    "PermissionError",
    "PrivateKeyInput",
    "ProxyInput",
    "PublicKeyInput",
    "RateLimitError",
    "ResultError",
    "ServerError",
    "SignatureVerificationError",
    "StreamResponse",
    "StreamTransport",
    "SystemClock",
    "ThreadTransport",
    "TimeoutError",
    "Told",
    "Tollgate",
    "Transport",
    "TransportRequest",
    "TransportResponse",
    "WebhookOptions",
    "Webhooks",
    "__version__",
    "apply_once",
    "apply_once_async",
    "format_time",
    "new_request_id",
    "parse_time",
]
