"""Takes notifications with Django. The view is what you need; the rest makes this file run by itself."""

import os
from wsgiref.simple_server import make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from tollgate_client import SignatureVerificationError, Tollgate

client = Tollgate()


@csrf_exempt
@require_POST
def notify(request: HttpRequest) -> HttpResponse:
    try:
        notification = client.webhooks.construct(
            path=request.get_full_path(), headers=request.headers, body=request.body
        )
    except SignatureVerificationError as error:
        return HttpResponse(str(error), status=401)
    print(f"{notification.subject}: taken", flush=True)
    return HttpResponse(client.webhooks.ack(), content_type="application/json")


urlpatterns = [path("notify", notify)]

if __name__ == "__main__":
    settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="example", ALLOWED_HOSTS=["127.0.0.1"])
    port = int(os.environ.get("PORT", "8000"))
    make_server("127.0.0.1", port, get_wsgi_application()).serve_forever()
