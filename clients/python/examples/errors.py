"""Shows the errors and what each of them means for the payment."""

import tollgate_client

client = tollgate_client.Tollgate()

try:
    client.payments.inquiry_payment({"paymentId": "20260101000000"})
except tollgate_client.NotFoundError as error:
    # The rejection is signed and final: no money was taken.
    print(f"{error.code} for {error.operation}: {error.advice}", flush=True)
except tollgate_client.ResultError as error:
    print(f"Refused: {error}", flush=True)
except (tollgate_client.ConnectionError, tollgate_client.TimeoutError) as error:
    # The outcome is unknown, also after the library's retries. Retry later with the same id, or
    # inquire.
    print(f"Unknown after {error.attempts} attempts: {error.request_id}", flush=True)
except tollgate_client.SignatureVerificationError as error:
    # The response is not from the gateway, or you have a wrong public key of the gateway.
    print(f"Not trusted: {error.reason}", flush=True)
