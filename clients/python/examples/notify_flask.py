"""Takes notifications with Flask."""

import os

from flask import Flask, Response, request

from tollgate_client import SignatureVerificationError, Tollgate

client = Tollgate()
app = Flask(__name__)


@app.post("/notify")
def notify() -> Response:
    query = f"?{request.query_string.decode()}" if request.query_string else ""
    try:
        notification = client.webhooks.construct(
            path=request.path + query, headers=request.headers.items(), body=request.get_data()
        )
    except SignatureVerificationError as error:
        return Response(str(error), status=401)
    print(f"{notification.subject}: taken", flush=True)
    return Response(client.webhooks.ack(), mimetype="application/json")


if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", "8000")))
