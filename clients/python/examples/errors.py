"""What can go wrong, and what it means for the money."""

import tollgate_client

client = tollgate_client.Tollgate()

try:
    client.payments.inquiry_payment({"paymentId": "20260101000000"})
except tollgate_client.NotFoundError as error:
    # A refusal is signed: it did not happen, and it will not.
    print(f"{error.code} for {error.operation}: {error.advice}", flush=True)
except tollgate_client.ResultError as error:
    print(f"Refused: {error}", flush=True)
except (tollgate_client.ConnectionError, tollgate_client.TimeoutError) as error:
    # Nobody knows. The library has tried again; repeat the call with the same id later, or inquire.
    print(f"Unknown after {error.attempts} attempts: {error.request_id}", flush=True)
except tollgate_client.SignatureVerificationError as error:
    # Somebody spoke who is not the gateway, or its key is not the one that you have.
    print(f"Not trusted: {error.reason}", flush=True)
