import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { promisify } from "node:util";
import { findBinFolder } from "../../server/src/postgres/temporary-postgres.ts";
import { database, runTollgate, type Merchant } from "../installation/installation.ts";
import { initializeServer, waitUntil, type PostgresServer } from "../installation/postgres-server.ts";
import type { ProofResult } from "../reports/run-proof.ts";
import { openTrial, payBody, type Trial } from "../trial/trial.ts";

export interface RestoreOptions {
  /** Duration of normal load before and during the dump. */
  readonly calmMs: number;
  /** Number of payments on the new server. Afterwards merchants request a refund of every paid payment. */
  readonly payments: number;
  logProgress(line: string): void;
}

const run = promisify(execFile);
const atOnce = 10;
/** A fee of 20 % makes merchants' balances lower than the paid amounts, so that the gateway rejects some refunds. */
const feeBasisPoints = 2_000;
const healsWithinMs = 60_000;

/** Backup and restore: a dump is taken under load and restored to an empty server, where operation continues. */
export async function proveRestore({ calmMs, payments, logProgress }: RestoreOptions): Promise<ProofResult> {
  const trial = await openTrial();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-restored-"));
  chmodSync(folder, 0o711);
  let restored: PostgresServer | undefined;
  try {
    await trial.installation.cluster.execute(
      database,
      `update clients set fee_basis_points = ${feeBasisPoints}`,
    );
    const backgroundPayments = startBackgroundPayments(trial);
    await waitMs(calmMs);
    const dump = await dumpDatabase(trial, folder);
    logProgress("dumped during payments");
    await backgroundPayments.stop();
    await stopGateway(trial);
    restored = await restoreDump(trial, folder, dump);
    const before = await readCounters(restored);
    logProgress(`restored: summed up to ${before.mark}, and the new server is at ${before.next}`);

    const variables = {
      ...trial.installation.variables,
      TOLLGATE_OWNER_DATABASE_URL: restored.url(database),
    };
    const refusal = await lastOutputLine(runTollgate(variables, "serve"));
    logProgress(`serve: ${refusal}`);
    const rebuilt = (await runTollgate(variables, "balances", "rebuild")).split("\n").at(-1) ?? "";
    logProgress(`balances rebuild: ${rebuilt}`);
    await Promise.all(
      [...trial.installation.serves, ...trial.installation.works].map((child) => child.start()),
    );

    await takePayments(trial, payments, "restored");
    const refundOutcome = await requestRefunds(trial, restored);
    // The new server's transaction ids pass the last id of the old server. From there, balances that relied only on
    // transaction ids would become wrong.
    await advanceTransactionId(restored, before.mark);
    await takePayments(trial, atOnce, "after");
    await waitUntilSettled(restored);
    const after = await readCounters(restored);
    const reconciliation = await lastOutputLine(runTollgate(variables, "reconcile"));
    logProgress(`match: ${reconciliation}`);
    return {
      figures: {
        old_mark: String(before.mark),
        new_server_at: String(before.next),
        at_the_end: String(after.next),
        payments: payments + atOnce,
        refunds: refundOutcome.refunded,
        refused_for_balance: refundOutcome.refused,
        rebuilt,
        match: reconciliation,
      },
      misses: [
        ...(/summed on another server/.test(refusal) ? [] : [`serve started nevertheless: ${refusal}`]),
        ...(before.next < before.mark ? [] : ["The new server was not behind the old one."]),
        ...(after.next > before.mark
          ? []
          : ["The new server has not reached the old one's transaction ids."]),
        ...(refundOutcome.refused > 0 ? [] : ["No refund was rejected for an insufficient balance."]),
        ...(reconciliation.startsWith("0 breaks") ? [] : [`match: ${reconciliation}`]),
        ...refundOutcome.misses,
        ...(await findWrongBalances(restored)),
      ],
    };
  } finally {
    await trial.stop();
    await restored?.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function findProgram(name: string): Promise<string> {
  return join(await findBinFolder(), name);
}

/** Dumps the logins and the database, as in docs/operating/install.md. */
export async function dumpDatabase(
  trial: Trial,
  folder: string,
): Promise<{ readonly roles: string; readonly file: string }> {
  const { cluster } = trial.installation;
  const [roles, file] = [join(folder, "roles.sql"), join(folder, "tollgate.dump")];
  // The loop uses up transaction ids, so that the old server's ids are ahead of those of any new server.
  await cluster.execute(
    "postgres",
    "do $$ begin for i in 1..3000 loop perform pg_current_xact_id(); commit; end loop; end $$",
  );
  await waitMs(1_500);
  const from = ["--dbname", cluster.primaryUrl(database)];
  await run(await findProgram("pg_dumpall"), ["--roles-only", "--file", roles, ...from]);
  await run(await findProgram("pg_dump"), ["--format", "custom", "--file", file, ...from]);
  return { roles, file };
}

async function stopGateway({ installation: { serves, works } }: Trial): Promise<void> {
  await Promise.all([...serves, ...works].map((child) => child.kill()));
}

export async function restoreDump(
  trial: Trial,
  folder: string,
  { roles, file }: { readonly roles: string; readonly file: string },
): Promise<PostgresServer> {
  const { cluster, proxies } = trial.installation;
  const password = new URL(cluster.primaryUrl(database)).password;
  const server = await initializeServer({ name: "restored", folder, password, durable: false });
  await server.start();
  await run(await findProgram("psql"), ["--quiet", "--file", roles, "--dbname", server.url("postgres")]);
  await run(await findProgram("pg_restore"), [
    "--create",
    "--exit-on-error",
    "--dbname",
    server.url("postgres"),
    file,
  ]);
  for (const proxy of [...proxies.servesToDatabase, proxies.workToDatabase]) proxy.moveTo(server.port);
  return server;
}

interface Counters {
  readonly mark: bigint;
  readonly next: bigint;
}

async function readCounters(server: PostgresServer): Promise<Counters> {
  const [row] = await server.execute<{ mark: string; next: string }>(
    database,
    `select summed_up_to::text as mark, pg_snapshot_xmax(pg_current_snapshot())::text as next from balances_position`,
  );
  return { mark: BigInt(row?.mark ?? 0), next: BigInt(row?.next ?? 0) };
}

async function advanceTransactionId(server: PostgresServer, number: bigint): Promise<void> {
  await server.execute(
    "postgres",
    `do $$ begin while pg_snapshot_xmax(pg_current_snapshot()) <= '${number}' loop
       perform pg_current_xact_id(); commit; end loop; end $$`,
  );
}

/**
 * Buyers pay until `stop` is called. There are no refunds, because the provider would know refunds that the dump does
 * not contain.
 */
function startBackgroundPayments(trial: Trial): { stop(): Promise<void> } {
  let isOpen = true;
  let count = 0;
  const buyer = async (): Promise<void> => {
    while (isOpen) await takePayment(trial, `before-${(count += 1)}`, count);
  };
  const buyers = Promise.all(Array.from({ length: atOnce }, buyer));
  return {
    async stop() {
      isOpen = false;
      await buyers;
    },
  };
}

export async function takePayments(trial: Trial, count: number, name: string): Promise<void> {
  let startedCount = 0;
  const buyer = async (): Promise<void> => {
    while (startedCount < count) await takePayment(trial, `${name}-${(startedCount += 1)}`, startedCount);
  };
  await Promise.all(Array.from({ length: atOnce }, buyer));
}

/**
 * Requests a payment, approves it at the provider, and waits until it is final or the time limit is over. Returns its
 * id if it is paid.
 */
export async function takePayment(
  trial: Trial,
  requestId: string,
  index: number,
  isAborted: () => boolean = () => false,
): Promise<string | undefined> {
  const { merchants } = trial.installation;
  const merchant = merchants[index % merchants.length];
  if (!merchant) throw new Error("There is no merchant.");
  const pay = { verb: "pay", merchant, requestId, body: payBody(requestId, trial.notifyUrl) } as const;
  const inquiry = {
    verb: "inquiryPayment",
    merchant,
    requestId,
    body: { paymentRequestId: requestId },
  } as const;
  let paymentId: string | undefined;
  let isApproved = false;
  let isPaid = false;
  await waitUntil(async () => {
    // A busy gateway or provider may shed load, so the loop retries the request.
    paymentId ??= (await trial.send(0, pay))?.id;
    if (paymentId !== undefined) isApproved ||= await trial.actAsBuyer(paymentId, "approve");
    await waitMs(50);
    isPaid = isApproved && (await trial.send(1, inquiry))?.recordStatus === "SUCCESS";
    return isPaid || isAborted();
  }, healsWithinMs);
  return isPaid ? paymentId : undefined;
}

interface RefundOutcome {
  readonly refunded: number;
  readonly refused: number;
  readonly misses: readonly string[];
}

/**
 * Requests a refund of every paid payment, one after the other for each merchant: more than its balance, because of the
 * fee.
 */
export async function requestRefunds(trial: Trial, server: PostgresServer): Promise<RefundOutcome> {
  const codes: string[] = [];
  const misses: string[] = [];
  const refundAll = async ({ clientId, keyVersion }: Merchant): Promise<void> => {
    let refusedMinor = Infinity;
    for (const { payment_id: paymentId, minor } of await refundable(server, clientId)) {
      const refundRequestId = `back-${paymentId}`;
      const body = { refundRequestId, paymentId, refundAmount: { currency: "EUR", value: String(minor) } };
      const merchant = { clientId, keyVersion };
      const answer = await trial.send(0, { verb: "refund", merchant, requestId: refundRequestId, body });
      codes.push(answer?.resultCode ?? "none");
      if (answer?.resultCode === "MERCHANT_BALANCE_NOT_ENOUGH") refusedMinor = Math.min(refusedMinor, minor);
    }
    await waitUntilSettled(server);
    const balance = await readBalance(server, clientId);
    if (balance < 0) misses.push(`${clientId} has refunded ${-balance} more than its balance.`);
    if (balance >= refusedMinor) misses.push(`${clientId} was refused ${refusedMinor}, and has ${balance}.`);
  };
  await Promise.all(trial.installation.merchants.map(refundAll));
  const expectedCodes = ["SUCCESS", "REFUND_IN_PROCESS", "MERCHANT_BALANCE_NOT_ENOUGH"];
  misses.push(
    ...codes.filter((code) => !expectedCodes.includes(code)).map((code) => `A refund was answered ${code}.`),
  );
  const refused = codes.filter((code) => code === "MERCHANT_BALANCE_NOT_ENOUGH").length;
  return { refunded: codes.length - refused, refused, misses };
}

async function refundable(
  server: PostgresServer,
  clientId: string,
): Promise<readonly { readonly payment_id: string; readonly minor: number }[]> {
  return server.execute(
    database,
    `select payment_id, (captured_minor - refunded_minor)::int as minor from payments
     where client_id = '${clientId}' and status = 'SUCCESS' and captured_minor > refunded_minor order by created_at`,
  );
}

/** `readBalance` returns a merchant's balance as the sum of all its ledger rows. */
async function readBalance(server: PostgresServer, clientId: string): Promise<number> {
  const [row] = await server.execute<{ owed: number }>(
    database,
    `select coalesce(sum(case when credit_account like 'merchant payable%' then amount_minor else -amount_minor end), 0)::int as owed
     from ledger_transfers where client_id = '${clientId}'
       and (credit_account like 'merchant payable%') <> (debit_account like 'merchant payable%')`,
  );
  return row?.owed ?? 0;
}

/** Polls until no refund or reversal is in progress and all balances are summed. */
export async function waitUntilSettled(server: PostgresServer): Promise<void> {
  await waitUntil(async () => {
    const [row] = await server.execute<{ settled: boolean }>(
      database,
      `select not exists (select from refunds where status = 'PROCESSING')
         and not exists (select from reversals where status = 'PROCESSING')
         and not exists (select from ledger_transfers where transaction >= (select summed_up_to from balances_position))
         as settled`,
    );
    return row?.settled === true;
  }, healsWithinMs);
}

export async function findWrongBalances(server: PostgresServer): Promise<readonly string[]> {
  const rows = await server.execute<{ account: string; was: string; sum: string }>(
    database,
    `with sides as (
       select client_id, debit_account as account, amount_minor as minor from ledger_transfers
       union all select client_id, credit_account, -amount_minor from ledger_transfers
     ), summed as (select client_id, account, sum(minor) as sum from sides group by client_id, account)
     select account, amount_minor::text as was, sum::text
     from balances full join summed using (client_id, account) where amount_minor is distinct from sum`,
  );
  return rows.map(({ account, was, sum }) => `${account}: stored ${was}, but the sum is ${sum}.`);
}

/** The last line of a command's output, whatever its exit status. */
async function lastOutputLine(running: Promise<string>): Promise<string> {
  const output = await running.catch(
    (error: Error & { readonly stdout?: string; readonly stderr?: string }) =>
      `${error.stdout ?? ""}${error.stderr ?? ""}` || error.message,
  );
  return output.trim().split("\n").at(-1)?.trim() ?? "";
}
