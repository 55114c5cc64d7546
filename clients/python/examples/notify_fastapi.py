"""Takes notifications with FastAPI: `uvicorn notify_fastapi:app`."""

import os

import uvicorn
from fastapi import FastAPI, Request, Response

from tollgate_client import SignatureVerificationError, Tollgate

client = Tollgate()
app = FastAPI()


@app.post("/notify")
async def notify(request: Request) -> Response:
    # The raw bytes: a model as parameter would be parsed, and a signature covers what came.
    body = await request.body()
    path = request.scope["raw_path"].decode()
    query = request.scope["query_string"].decode()
    try:
        notification = client.webhooks.construct(
            path=f"{path}?{query}" if query else path,
            headers=request.headers.items(),
            body=body,
        )
    except SignatureVerificationError as error:
        return Response(str(error), status_code=401)
    print(f"{notification.subject}: taken", flush=True)
    return Response(client.webhooks.ack(), media_type="application/json")


if __name__ == "__main__":
    uvicorn.run(app, port=int(os.environ.get("PORT", "8000")), log_level="warning")
