"""Reads everything that was told, from the beginning or behind a cursor, and applies it once."""

import sys
from functools import partial

from shop import transaction

from tollgate_client import Tollgate, apply_once

# Where you stopped, from your own database. `follow=True` waits at the end for what comes next.
from_cursor = sys.argv[1] if len(sys.argv) > 1 else None

with Tollgate() as client:
    for event in client.tollgate.events(from_cursor=from_cursor):
        with transaction() as cursor:
            # Here you would write to your order, as `settle` does, and keep the cursor beside it.
            outcome = apply_once(cursor, "sqlite", event, partial(print, "news:", event.kind))
        print(event.cursor, event.subject, outcome, flush=True)
