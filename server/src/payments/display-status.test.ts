import assert from "node:assert/strict";
import { test } from "node:test";
import { examplePayment } from "../../test/examples/example-payment.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { displayStatusOf, keptMinor, paymentStatusOf, type DisplayStatus } from "./display-status.ts";
import type { Payment } from "./payment.ts";

const { superuserUrl } = await newTestDatabase("sandbox");

/**
 * Captured, refunded, disputed and lost sums of a payment of 100; lost is the part of the disputed sum that disputes
 * have debited.
 */
type Sums = readonly [captured: bigint, refunded: bigint, disputed: bigint, lost: bigint];

const paid: readonly (readonly [Sums, DisplayStatus, kept: bigint])[] = [
  [[100n, 0n, 0n, 0n], "PAID", 100n],
  [[100n, 40n, 0n, 0n], "PARTLY_REFUNDED", 60n],
  [[100n, 100n, 0n, 0n], "REFUNDED", 0n],
  [[100n, 0n, 100n, 0n], "DISPUTED", 0n],
  [[100n, 40n, 60n, 0n], "DISPUTED", 0n],
  [[100n, 0n, 100n, 30n], "DISPUTED", 0n],
  [[100n, 0n, 100n, 100n], "DISPUTE_LOST", 0n],
  [[100n, 0n, 30n, 30n], "DISPUTE_LOST", 70n],
  [[100n, 40n, 60n, 60n], "DISPUTE_LOST", 0n],
];

const rows: readonly (readonly [Partial<Payment>, Sums, DisplayStatus, kept: bigint | undefined])[] = [
  ...paid.map(([sums, display, kept]) => [{ status: "SUCCESS" }, sums, display, kept] as const),
  ...paid.map(([sums, display, kept]) => [{ captureMode: "MANUAL" }, sums, display, kept] as const),
  [{ captureMode: "MANUAL" }, [0n, 0n, 0n, 0n], "AUTHORIZED", undefined],
  [{ captureMode: "MANUAL", releasedAt: new Date(0) }, [0n, 0n, 0n, 0n], "RELEASED", undefined],
  [{ captureMode: "MANUAL", releasedAt: new Date(0) }, [60n, 0n, 0n, 0n], "PAID", 60n],
  [{ captureMode: "MANUAL" }, [60n, 60n, 0n, 0n], "REFUNDED", 0n],
  ...(["PROCESSING", "PENDING", "FAIL", "CANCELLED"] as const).map(
    (status) => [{ status }, [0n, 0n, 0n, 0n], status, undefined] as const,
  ),
  // A paid payment that was cancelled keeps its captured sum.
  [{ status: "CANCELLED" }, [100n, 0n, 0n, 0n], "CANCELLED", undefined],
];

function paymentOf(over: Partial<Payment>, [capturedMinor, refundedMinor, disputedMinor]: Sums): Payment {
  return examplePayment({ status: "SUCCESS", capturedMinor, refundedMinor, disputedMinor, ...over });
}

test("the display status follows from the sums of refunds and disputes", () => {
  for (const [over, sums, display, kept] of rows) {
    const payment = paymentOf(over, sums);
    const name = JSON.stringify([over, sums.map(String)]);
    assert.equal(displayStatusOf(payment, sums[3]), display, name);
    assert.equal(keptMinor(payment), kept, name);
    assert.equal(paymentStatusOf(display), payment.status, name);
  }
});

test("the database derives the same display status", async () => {
  for (const [over, sums, display] of rows) {
    const { status, captureMode, releasedAt } = paymentOf(over, sums);
    const [row] = await asSuperuser<{ display: string }>(
      "select display_status_of($1, $2, $3, $4, $5, $6, $7) as display",
      [status, captureMode, releasedAt !== undefined, ...sums],
      superuserUrl,
    );
    assert.equal(row?.display, display, JSON.stringify([over, sums.map(String)]));
  }
});
