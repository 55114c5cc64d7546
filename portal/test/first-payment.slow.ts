import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import type { Tollgate } from "../../clients/typescript/src/tollgate.ts";
import { asSuperuser } from "../../server/test/start/test-database.ts";
import {
  createClient,
  openShop,
  pay,
  waitForDownload,
  readSettings,
  readDownload,
} from "./register-merchant.ts";
import { startGatewayFor, startTestPortal } from "./test-portal.ts";

/**
 * The requirements on the merchant portal in docs/interface.md, and the keys page: keys are created, replaced and
 * registered.
 */
const portal = await startTestPortal();
const gateway = await startGatewayFor(portal);

const withinMs = 3 * 60_000;

test("1.21 and 5.22 a merchant registers in the portal, gets its client ID, and sees its first payment there", async (context) => {
  const startedAt = performance.now();
  const { page, sent, consoleErrors, ...shop } = await openShop(portal, "Coffee Lab", "ada@coffee.example");
  assert.match(shop.settings["TOLLGATE_CLIENT_ID"] ?? "", /^SANDBOX_[0-9A-F]{24}$/);
  const paymentId = await pay(shop.client, "order-1001");
  await gateway.provider.control(paymentId, "approve");
  await page.getByRole("link", { name: "Payments" }).click();
  await page.getByRole("link", { name: /EUR.12\.50.*Paid/ }).waitFor();
  const tookMs = performance.now() - startedAt;
  context.diagnostic(`from the registration to the paid payment: ${(tookMs / 1000).toFixed(1)} s`);
  assert.ok(tookMs <= withinMs, `${tookMs} ms`);

  await page.getByRole("link", { name: "Overview" }).click();
  await page.getByText("All three steps to a first payment are done.").waitFor();
  const secret = shop.privateKey.split("\n")[5] ?? "";
  assert.equal(secret.length, 64);
  const leaks = sent.filter((body) => body.includes(secret) || body.includes("PRIVATE KEY"));
  assert.deepEqual([sent.some((body) => body.includes("BEGIN PUBLIC KEY")), leaks], [true, []]);
  assert.ok(!(await page.content()).includes(secret));
  // The server requests re-authentication with status 403, which the browser logs.
  assert.deepEqual(
    consoleErrors.filter((text) => !text.includes("status of 403")),
    [],
  );
});

test("a key is replaced under traffic without a failed request, and the old key is revoked", async (context) => {
  const { page, client: old, settings } = await openShop(portal, "Tea Lab", "grace@tea.example");
  const paymentId = await pay(old, "order-2001");
  const traffic = startTraffic(old, paymentId);
  context.after(() => traffic.end());
  await traffic.calls(30);

  const file = await waitForDownload(page, () => page.getByRole("button", { name: "Create key" }).click());
  await page.getByText("Version 2 is registered").waitFor();
  const { gatewayPublicKey } = settings;
  const next = createClient({ ...(await readSettings(page)), gatewayPublicKey }, await readDownload(file));
  const before = await traffic.calls(30);
  traffic.signWith(next);
  await traffic.calls(30);

  // The first key signed a request today, so the page does not mark it as safe to revoke and asks for an additional
  // confirmation.
  const row = page.getByRole("listitem").filter({ hasText: "Version 1" });
  await row.getByText("in use").waitFor();
  await row.getByRole("button", { name: "Revoke version 1" }).click();
  await page.getByRole("dialog").getByLabel("I know that this key may still be in use").waitFor();
  await page.keyboard.press("Escape");

  await eventuallyCounted(page);
  await advanceByDay(settings["TOLLGATE_CLIENT_ID"] ?? "");
  await page.reload();
  await row.getByText("safe to revoke").waitFor();
  await row.getByRole("button", { name: "Revoke version 1" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke version 1" });
  await dialog.getByLabel("Reason").fill("Replaced by version 2.");
  assert.equal(await dialog.getByRole("checkbox").count(), 0);
  await dialog.getByRole("button", { name: "Revoke version 1" }).click();
  await row.getByText("revoked", { exact: true }).waitFor();
  const total = await traffic.calls(30);
  assert.deepEqual(await traffic.end(), []);
  context.diagnostic(`calls: ${total}, of which ${before} were signed with the old key; failed: 0`);

  await waitForRejection(old, paymentId);
});

test("a key from openssl is registered with the commands on the page, and a pasted private key is never sent", async () => {
  const shop = await openShop(portal, "Cake Lab", "kurt@cake.example");
  const { page, sent } = shop;
  await page.getByText("Register your own key").click();
  const commands = await page.locator("details pre", { hasText: "openssl" }).innerText();
  const folder = await mkdtemp(join(tmpdir(), "tollgate-openssl-"));
  after(() => rm(folder, { recursive: true, force: true }));
  const { stdout: proof } = await promisify(execFile)("sh", ["-ec", commands], { cwd: folder });
  const privateKey = await readFile(join(folder, "private.pem"), "utf8");

  const sentBefore = sent.length;
  await page.getByLabel("Proof of possession").fill(proof);
  await page.getByLabel("Public key", { exact: true }).fill(privateKey);
  await page.getByRole("button", { name: "Register the key" }).click();
  await page.waitForTimeout(300);
  assert.ok(sent.slice(sentBefore).every((body) => !body.includes("PRIVATE KEY")));

  const publicKey = await readFile(join(folder, "public.pem"), "utf8");
  await page.getByLabel("Public key", { exact: true }).fill(publicKey);
  await page.getByLabel("Proof of possession").fill(`${proof.slice(0, -8)}AAAAAA==`);
  await page.getByRole("button", { name: "Register the key" }).click();
  await page.getByRole("alert").getByText("The proof must be a signature by this key").waitFor();
  await page.getByLabel("Proof of possession").fill(proof);
  await page.getByRole("button", { name: "Register the key" }).click();
  await page.getByText("Version 2 is registered").waitFor();
  const keyVersion = { TOLLGATE_KEY_VERSION: "2" };
  await pay(createClient({ ...shop.settings, ...keyVersion }, privateKey), "order-3001");
});

interface Traffic {
  signWith(client: Tollgate): void;
  /** Waits for a number of further API requests, and returns the total. */
  calls(more: number): Promise<number>;
  /** Stops the traffic and returns all failures. */
  end(): Promise<readonly unknown[]>;
}

/** `startTraffic` sends inquiries one after the other until `end` is called. */
function startTraffic(first: Tollgate, paymentId: string): Traffic {
  let client: Tollgate | undefined = first;
  let count = 0;
  const failures: unknown[] = [];
  const running = (async () => {
    while (client) {
      await client.payments.inquiryPayment({ paymentId }).catch((error: unknown) => failures.push(error));
      count += 1;
      await pause(20);
    }
  })();
  return {
    signWith(next) {
      client = next;
    },
    async calls(more) {
      const enough = count + more;
      while (count < enough) await pause(20);
      return count;
    },
    async end() {
      client = undefined;
      await running;
      return failures;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** `eventuallyCounted` waits until the key usage of the second key, and so all usage of the first, is stored. */
async function eventuallyCounted(page: Page): Promise<void> {
  const row = page.getByRole("listitem").filter({ hasText: "Version 2" });
  await row.getByText(/API requests signed in 7 days: [1-9]/).waitFor({ timeout: 20_000 });
}

/** `advanceByDay` moves the key usage of the first key to the previous day. */
async function advanceByDay(clientId: string): Promise<void> {
  await asSuperuser(
    `update key_uses set day = day - 2, first_at = first_at - interval '25 hours', last_at = last_at - interval '25 hours'
     where client_id = $1 and signed = 'REQUEST' and version = 1`,
    [clientId],
    gateway.database.superuserUrl,
  );
}

async function waitForRejection(client: Tollgate, paymentId: string): Promise<void> {
  await pause(1_000);
  await assert.rejects(client.payments.inquiryPayment({ paymentId }), { code: "KEY_NOT_FOUND" });
}
