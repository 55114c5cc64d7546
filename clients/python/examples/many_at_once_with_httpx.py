"""Sends concurrent inquiries with your own asynchronous HTTP client."""

import asyncio
import sys

import httpx

from tollgate_client import AsyncTollgate, HttpxTransport


async def main(payment_ids: list[str]) -> None:
    async with httpx.AsyncClient() as http, AsyncTollgate(transport=HttpxTransport(http)) as client:
        inquiries = [client.payments.inquiry_payment({"paymentId": each}) for each in payment_ids]
        for payment in await asyncio.gather(*inquiries):
            print(f"{payment.payment_id}: {payment.payment_status}", flush=True)


asyncio.run(main(sys.argv[1:]))
