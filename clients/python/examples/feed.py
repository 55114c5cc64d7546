"""Reads all webhooks from the beginning or after a cursor, and applies each once."""

import sys
from functools import partial

from shop import transaction

from tollgate_client import Tollgate, apply_once

# The cursor of the last applied event, from your own database. With `follow=True` the loop waits at
# the end of the feed for new events.
from_cursor = sys.argv[1] if len(sys.argv) > 1 else None

with Tollgate() as client:
    for event in client.tollgate.events(from_cursor=from_cursor):
        with transaction() as cursor:
            # Update your order here, as `settle` does, and store the cursor in the same
            # transaction.
            outcome = apply_once(cursor, "sqlite", event, partial(print, "applied:", event.kind))
        print(event.cursor, event.subject, outcome, flush=True)
