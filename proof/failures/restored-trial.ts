import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { promisify } from "node:util";
import { findBinFolder } from "../../server/src/postgres/temporary-postgres.ts";
import { database, tollgate, type Merchant } from "../installation/installation.ts";
import { initializeServer, until, type PostgresServer } from "../installation/postgres-server.ts";
import type { Shown } from "../reports/run-proof.ts";
import { openTrial, payBody, type Trial } from "../trial/trial.ts";

export interface RestoreOptions {
  /** Duration of normal load before and during the dump. */
  readonly calmMs: number;
  /** Number of payments on the new server. Afterwards merchants request a refund of every paid payment. */
  readonly payments: number;
  say(line: string): void;
}

const run = promisify(execFile);
const atOnce = 10;
/** A fee of 20 % makes merchants' balances lower than the paid amounts, so that the gateway rejects some refunds. */
const feeBasisPoints = 2_000;
const healsWithinMs = 60_000;

/** Backup and restore: a dump is taken under load and restored to an empty server, where operation continues. */
export async function restoreElsewhere({ calmMs, payments, say }: RestoreOptions): Promise<Shown> {
  const trial = await openTrial();
  const folder = mkdtempSync(join(tmpdir(), "tollgate-restored-"));
  chmodSync(folder, 0o711);
  let restored: PostgresServer | undefined;
  try {
    await trial.installation.cluster.execute(
      database,
      `update clients set fee_basis_points = ${feeBasisPoints}`,
    );
    const business = startBusiness(trial);
    await waitMs(calmMs);
    const dump = await dumpFrom(trial, folder);
    say("dumped during payments");
    await business.stop();
    await leave(trial);
    restored = await restoreTo(trial, folder, dump);
    const before = await countersOf(restored);
    say(`restored: summed up to ${before.mark}, and the new server is at ${before.next}`);

    const variables = {
      ...trial.installation.variables,
      TOLLGATE_OWNER_DATABASE_URL: restored.url(database),
    };
    const refusal = await lastWords(tollgate(variables, "serve"));
    say(`serve: ${refusal}`);
    const rebuilt = (await tollgate(variables, "balances", "rebuild")).split("\n").at(-1) ?? "";
    say(`balances rebuild: ${rebuilt}`);
    await Promise.all(
      [...trial.installation.serves, ...trial.installation.works].map((part) => part.start()),
    );

    await takePayments(trial, payments, "restored");
    const asked = await giveBack(trial, restored);
    // The new server's transaction ids pass the last id of the old server. From there, balances that relied only on
    // transaction ids would become wrong.
    await passNumber(restored, before.mark);
    await takePayments(trial, atOnce, "after");
    await untilSettled(restored);
    const after = await countersOf(restored);
    const matched = await lastWords(tollgate(variables, "reconcile"));
    say(`match: ${matched}`);
    return {
      figures: {
        old_mark: String(before.mark),
        new_server_at: String(before.next),
        at_the_end: String(after.next),
        payments: payments + atOnce,
        refunds: asked.refunded,
        refused_for_balance: asked.refused,
        rebuilt,
        match: matched,
      },
      misses: [
        ...(/summed on another server/.test(refusal) ? [] : [`serve started nevertheless: ${refusal}`]),
        ...(before.next < before.mark ? [] : ["The new server was not behind the old one."]),
        ...(after.next > before.mark
          ? []
          : ["The new server has not reached the old one's transaction ids."]),
        ...(asked.refused > 0 ? [] : ["No refund was rejected for an insufficient balance."]),
        ...(matched.startsWith("0 breaks") ? [] : [`match: ${matched}`]),
        ...asked.misses,
        ...(await wrongBalances(restored)),
      ],
    };
  } finally {
    await trial.stop();
    await restored?.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function program(name: string): Promise<string> {
  return join(await findBinFolder(), name);
}

/** Dumps the logins and the database, as in docs/operating/install.md. */
export async function dumpFrom(
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
  await run(await program("pg_dumpall"), ["--roles-only", "--file", roles, ...from]);
  await run(await program("pg_dump"), ["--format", "custom", "--file", file, ...from]);
  return { roles, file };
}

async function leave({ installation: { serves, works } }: Trial): Promise<void> {
  await Promise.all([...serves, ...works].map((part) => part.kill()));
}

export async function restoreTo(
  trial: Trial,
  folder: string,
  { roles, file }: { readonly roles: string; readonly file: string },
): Promise<PostgresServer> {
  const { cluster, lines } = trial.installation;
  const password = new URL(cluster.primaryUrl(database)).password;
  const server = await initializeServer({ name: "restored", folder, password, durable: false });
  await server.start();
  await run(await program("psql"), ["--quiet", "--file", roles, "--dbname", server.url("postgres")]);
  await run(await program("pg_restore"), [
    "--create",
    "--exit-on-error",
    "--dbname",
    server.url("postgres"),
    file,
  ]);
  for (const line of [...lines.servesToDatabase, lines.workToDatabase]) line.moveTo(server.port);
  return server;
}

interface Counters {
  readonly mark: bigint;
  readonly next: bigint;
}

async function countersOf(server: PostgresServer): Promise<Counters> {
  const [row] = await server.execute<{ mark: string; next: string }>(
    database,
    `select summed_up_to::text as mark, pg_snapshot_xmax(pg_current_snapshot())::text as next from balances_position`,
  );
  return { mark: BigInt(row?.mark ?? 0), next: BigInt(row?.next ?? 0) };
}

async function passNumber(server: PostgresServer, number: bigint): Promise<void> {
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
function startBusiness(trial: Trial): { stop(): Promise<void> } {
  let isOpen = true;
  let count = 0;
  const caller = async (): Promise<void> => {
    while (isOpen) await takePayment(trial, `before-${(count += 1)}`, count);
  };
  const callers = Promise.all(Array.from({ length: atOnce }, caller));
  return {
    async stop() {
      isOpen = false;
      await callers;
    },
  };
}

export async function takePayments(trial: Trial, count: number, name: string): Promise<void> {
  let taken = 0;
  const caller = async (): Promise<void> => {
    while (taken < count) await takePayment(trial, `${name}-${(taken += 1)}`, taken);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
}

/**
 * Requests a payment, approves it at the provider, and waits until it is final or the time limit is over. Returns its
 * id if it is paid.
 */
export async function takePayment(
  trial: Trial,
  requestId: string,
  index: number,
  isGivenUp: () => boolean = () => false,
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
  await until(async () => {
    // A busy gateway or provider may shed load, so the loop retries the request.
    paymentId ??= (await trial.ask(0, pay))?.id;
    if (paymentId !== undefined) isApproved ||= await trial.buyer(paymentId, "approve");
    await waitMs(50);
    isPaid = isApproved && (await trial.ask(1, inquiry))?.recordStatus === "SUCCESS";
    return isPaid || isGivenUp();
  }, healsWithinMs);
  return isPaid ? paymentId : undefined;
}

interface GivenBack {
  readonly refunded: number;
  readonly refused: number;
  readonly misses: readonly string[];
}

/**
 * Requests a refund of every paid payment, one after the other for each merchant: more than its balance, because of the
 * fee.
 */
export async function giveBack(trial: Trial, server: PostgresServer): Promise<GivenBack> {
  const codes: string[] = [];
  const misses: string[] = [];
  const refundAll = async ({ clientId, keyVersion }: Merchant): Promise<void> => {
    let refusedMinor = Infinity;
    for (const { payment_id: paymentId, minor } of await refundable(server, clientId)) {
      const refundRequestId = `back-${paymentId}`;
      const body = { refundRequestId, paymentId, refundAmount: { currency: "EUR", value: String(minor) } };
      const merchant = { clientId, keyVersion };
      const answer = await trial.ask(0, { verb: "refund", merchant, requestId: refundRequestId, body });
      codes.push(answer?.resultCode ?? "none");
      if (answer?.resultCode === "MERCHANT_BALANCE_NOT_ENOUGH") refusedMinor = Math.min(refusedMinor, minor);
    }
    await untilSettled(server);
    const owed = await owedTo(server, clientId);
    if (owed < 0) misses.push(`${clientId} has refunded ${-owed} more than its balance.`);
    if (owed >= refusedMinor) misses.push(`${clientId} was refused ${refusedMinor}, and has ${owed}.`);
  };
  await Promise.all(trial.installation.merchants.map(refundAll));
  const usual = ["SUCCESS", "REFUND_IN_PROCESS", "MERCHANT_BALANCE_NOT_ENOUGH"];
  misses.push(
    ...codes.filter((code) => !usual.includes(code)).map((code) => `A refund was answered ${code}.`),
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

/** `owedTo` returns a merchant's balance as the sum of all its ledger rows. */
async function owedTo(server: PostgresServer, clientId: string): Promise<number> {
  const [row] = await server.execute<{ owed: number }>(
    database,
    `select coalesce(sum(case when credit_account like 'merchant payable%' then amount_minor else -amount_minor end), 0)::int as owed
     from ledger_transfers where client_id = '${clientId}'
       and (credit_account like 'merchant payable%') <> (debit_account like 'merchant payable%')`,
  );
  return row?.owed ?? 0;
}

/** Polls until no refund or reversal is in progress and all balances are summed. */
export async function untilSettled(server: PostgresServer): Promise<void> {
  await until(async () => {
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

export async function wrongBalances(server: PostgresServer): Promise<readonly string[]> {
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
async function lastWords(running: Promise<string>): Promise<string> {
  const said = await running.catch(
    (error: Error & { readonly stdout?: string; readonly stderr?: string }) =>
      `${error.stdout ?? ""}${error.stderr ?? ""}` || error.message,
  );
  return said.trim().split("\n").at(-1)?.trim() ?? "";
}
