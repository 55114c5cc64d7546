import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { rebuildAllBalances } from "../operators/ledger/rebuild-balances.ts";
import { reconcile } from "../reconciliation/reconcile.workflow.ts";
import { startTemporaryPostgres } from "../postgres/temporary-postgres.ts";
import { createPaidPayment, startAcceptingProvider } from "../../test/shop/scripted-payment.ts";
import { startScriptedStack } from "../../test/start/scripted-provider.ts";
import { asSuperuser, ownerRole, rolePassword } from "../../test/start/test-database.ts";
import { newMerchant, type TestMerchant } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments } from "../../test/start/test-stack.ts";

const stack = await startScriptedStack();
const { database, merchant: oldMerchant } = stack;
const freshMerchant = await newMerchant(database, "Tea Lab");
const provider = await startAcceptingProvider("provider");
await stack.connect(provider);
// A fee of 5 % leaves EUR 11.875 of EUR 12.50: the balance cannot cover a refund of every payment.
await asSuperuser("update clients set fee_basis_points = 500", [], database.superuserUrl);
const run = promisify(execFile);
let count = 0;

function paid(url: string, merchant: TestMerchant): Promise<string> {
  return createPaidPayment(url, merchant, provider, `payment-${(count += 1)}`);
}

async function refund(
  url: string,
  merchant: TestMerchant,
  paymentId: string,
  value = "1250",
): Promise<unknown> {
  count += 1;
  const refundAmount = { currency: "EUR", value };
  const body = { refundRequestId: `refund-${count}`, paymentId, refundAmount };
  return (await callPayments(url, merchant, "refund", body)).json.result["resultCode"];
}

/**
 * Restores a dump to an empty server, as in docs/operating/install.md; returns a function that builds the database URL
 * for a role.
 */
async function restoreElsewhere(): Promise<(role?: string) => string> {
  const server = await startTemporaryPostgres({ durable: false });
  after(() => server.stop());
  const [from, name] = [
    ["--dbname", database.superuserUrl],
    new URL(database.superuserUrl).pathname.slice(1),
  ];
  const file = join(tmpdir(), `${name}.dump`);
  after(() => rm(file, { force: true }));
  const { stdout: roles } = await run(join(server.binFolder, "pg_dumpall"), ["--roles-only", ...from]);
  await run(join(server.binFolder, "pg_dump"), ["--format", "custom", "--file", file, ...from]);
  // The role of the superuser is not restored, because it has its own password on the new server.
  const others = roles
    .split("\n")
    .filter((line) => /^(CREATE|ALTER|GRANT) /.test(line) && !/ROLE postgres\b/.test(line));
  await server.execute("postgres", others.join("\n"));
  const into = ["--create", "--exit-on-error", "--dbname", server.url("postgres")];
  await run(join(server.binFolder, "pg_restore"), [...into, file]);
  return (role) => {
    const url = new URL(server.url(name));
    if (role) Object.assign(url, { username: role, password: rolePassword });
    return url.href;
  };
}

const passed = (number: string): string =>
  `do $$ begin while pg_snapshot_xmax(pg_current_snapshot()) <= '${number}' loop
     perform pg_current_xact_id(); commit; end loop; end $$`;

test("a dump that is restored on another server continues with correct balances", async () => {
  const first = await stack.serve();
  const firstWork = await stack.work();
  const before = [await paid(first.url, oldMerchant), await paid(first.url, oldMerchant)];
  // The test consumes transaction ids, so that the first server is ahead of a new one.
  await asSuperuser(passed("9000"), [], database.superuserUrl);
  await eventually(
    10_000,
    () =>
      asSuperuser<{ mark: number }>(
        "select summed_up_to::text::int as mark from balances_position",
        [],
        database.superuserUrl,
      ),
    ([row]) => (row?.mark ?? 0) > 9_000,
  );
  await Promise.all([first.process.stop(), firstWork.stop()]);

  const urlOf = await restoreElsewhere();
  assert.deepEqual(await rebuildAllBalances(urlOf(ownerRole), "sandbox"), { rowCount: 4, differences: [] });
  const { url } = await stack.serve({ variables: { TOLLGATE_DATABASE_URL: urlOf(database.appRole) } });
  await stack.work({ TOLLGATE_DATABASE_URL: urlOf(database.workRole) });

  const ownPaymentId = await paid(url, freshMerchant);
  assert.equal(await refund(url, freshMerchant, ownPaymentId, "100"), "SUCCESS");
  const all = [...before, await paid(url, oldMerchant)];
  const codes: unknown[] = [];
  for (const paymentId of all) codes.push(await refund(url, oldMerchant, paymentId));
  // The balance of three times 11.87 is less than three refunds of 12.50.
  assert.deepEqual(codes, ["SUCCESS", "SUCCESS", "MERCHANT_BALANCE_NOT_ENOUGH"]);

  // The new server now reaches the old transaction ids. If the check compared only transaction ids, the alarm would end
  // now, and rows would be missing permanently.
  await asSuperuser(passed("9100"), [], urlOf());
  await paid(url, freshMerchant);
  await eventually(
    10_000,
    () =>
      asSuperuser(
        "select from ledger_transfers, balances_position where transaction >= summed_up_to",
        [],
        urlOf(),
      ),
    (open) => open.length === 0,
  );
  const { breaks } = await reconcile(
    { url: urlOf(ownerRole), environment: "sandbox" },
    { connector: undefined, until: undefined },
  );
  assert.deepEqual(breaks, []);
});
