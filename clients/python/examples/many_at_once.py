"""Inquires about many payments concurrently."""

import asyncio
import sys

from tollgate_client import AsyncTollgate


async def main(payment_ids: list[str]) -> None:
    async with AsyncTollgate() as client:
        inquiries = [client.payments.inquiry_payment(payment_id=each) for each in payment_ids]
        for payment in await asyncio.gather(*inquiries):
            print(f"{payment.payment_id}: {payment.payment_status}", flush=True)


asyncio.run(main(sys.argv[1:]))
