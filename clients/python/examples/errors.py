"""What can go wrong, and what it means for the money."""

import tollgate

client = tollgate.Tollgate()

try:
    client.payments.inquiry_payment({"paymentId": "20260101000000"})
except tollgate.NotFoundError as error:
    # A refusal is signed: it did not happen, and it will not.
    print(f"{error.code} for {error.operation}: {error.advice}", flush=True)
except tollgate.ResultError as error:
    print(f"Refused: {error}", flush=True)
except (tollgate.ConnectionError, tollgate.TimeoutError) as error:
    # Nobody knows. The library has tried again; repeat the call with the same id later, or inquire.
    print(f"Unknown after {error.attempts} attempts: {error.request_id}", flush=True)
except tollgate.SignatureVerificationError as error:
    # Somebody spoke who is not the gateway, or its key is not the one that you have.
    print(f"Not trusted: {error.reason}", flush=True)
