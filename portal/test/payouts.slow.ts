import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { dropChecks, insertAnyRow } from "../../server/test/examples/any-row.ts";
import { connectAs } from "../../server/test/start/test-connection.ts";
import { callPayments, payRequest } from "../../server/test/start/test-stack.ts";
import { lookAt } from "./look-at.ts";
import { newVisitor, registerWithPasskey, startGatewayOf, startTestPortal } from "./test-portal.ts";

/** A person of finance sees a payout in the bank, and asks what it is made of. */
const portal = await startTestPortal();
const gateway = await startGatewayOf(portal);
const { clientId } = gateway.merchant;

async function paid(requestId: string): Promise<string> {
  const { json } = await callPayments(portal.gatewayUrl, gateway.merchant, "pay", payRequest(requestId));
  const paymentId = String(json["paymentId"]);
  assert.equal((await gateway.wallet.control(paymentId, "approve")).status, 200);
  return paymentId;
}

test("a payout leads to its payments, and is saved as a report", async () => {
  const paymentIds = [await paid("order-1"), await paid("order-2")];
  const superuser = await connectAs(clientId, gateway.database.superuserUrl);
  await dropChecks(superuser);
  const now = new Date();
  const { rows } = await superuser.query<{ bucket: number }>(
    "select bucket from clients where client_id = $1",
    [clientId],
  );
  const bucket = rows[0]?.bucket;
  // As our ids are: a payout is newer than its batch.
  const batchId = `20261117${"1".repeat(27)}`;
  const payoutId = `20261117${"2".repeat(27)}`;
  const of = { bucket, client_id: clientId, currency: "EUR" };
  const sums = {
    gross_minor: 2500,
    refunds_minor: -350,
    disputes_minor: 0,
    fees_minor: -72,
    tax_minor: -14,
    net_minor: 2064,
  };
  const rest = { other_minor: 0, reserve_minor: 0, carried_minor: 0, held_minor: 0, payout_id: payoutId };
  const days = { from_day: "2026-11-16", to_day: "2026-11-16", due_day: "2026-11-17" };
  await insertAnyRow(superuser, "settlement_batches", {
    ...of,
    ...days,
    ...sums,
    ...rest,
    batch_id: batchId,
    status: "PAID",
  });
  const ends = { end_to_end_id: payoutId, amount_minor: 2064, status: "PAID", finished_at: now };
  await insertAnyRow(superuser, "payouts", { ...of, ...ends, payout_id: payoutId, batch_id: batchId });
  for (const subject of paymentIds)
    await insertAnyRow(superuser, "settlement_items", {
      bucket,
      client_id: clientId,
      subject_id: subject,
      effect: "payment",
      batch_id: batchId,
    });

  const ada = await newVisitor(portal);
  const { page } = ada;
  page.setDefaultTimeout(30_000);
  await registerWithPasskey(portal, ada, {
    name: "Ada Byron",
    email: "ada@coffee.example",
    organisation: "Coffee Lab",
  });
  await portal.accounts.sql(
    `insert into clients (client_id, environment, organisation_id, name, given_at)
     select $1, 'sandbox', organisation_id, 'Shop', now() from organisations where name = 'Coffee Lab'`,
    [clientId],
  );
  await page.goto(`${portal.url}/sandbox/balance`);
  const row = page.getByRole("link", { name: /EUR.20\.64.*Paid out/ });
  await row.waitFor();
  await lookAt(page, "payouts");
  await page.setViewportSize({ width: 1440, height: 900 });
  await row.click();
  await page.getByText("Our fees").waitFor();
  const items = page.getByRole("region", { name: "What it is made of" });
  await items.getByRole("link").nth(1).waitFor();
  await lookAt(page, "payout");
  await page.setViewportSize({ width: 1440, height: 900 });

  // Paid in another currency: how it came about.
  await superuser.query(
    `update settlement_batches set settle_currency = 'USD', settle_minor = 2236, quote_id = 'QUOTE_1', quote_price = 1.0832
     where batch_id = $1`,
    [batchId],
  );
  await page.reload();
  await page.getByText(/EUR.20\.64 at 1\.0832 = USD.22\.36/).waitFor();

  const saving = page.waitForEvent("download");
  await items.getByRole("button", { name: "Save the details" }).click();
  const saved = await saving;
  assert.match(saved.suggestedFilename(), /^SETTLEMENT_DETAIL_\d{35}_\d{8}\.csv$/);
  const lines = (await readFile(await saved.path(), "utf8")).trimEnd().split("\r\n");
  assert.equal(lines.at(-1), "<END>");
  assert.deepEqual(
    paymentIds.map((id) => lines.filter((line) => line.includes(id)).length),
    [1, 1],
  );

  await items.getByRole("link").first().click();
  await page.waitForURL((url) => paymentIds.some((id) => url.pathname.endsWith(`/payments/${id}`)));
  await page.getByText("order-1", { exact: false }).first().waitFor();
});
