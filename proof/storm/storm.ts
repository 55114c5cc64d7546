import assert from "node:assert/strict";
import { createPublicKey, type KeyObject } from "node:crypto";
import { setTimeout as waitMs } from "node:timers/promises";
import { injectFaults, type FaultInjectionOptions } from "./inject-faults.ts";
import { newCaller } from "../trial/caller.ts";
import { newCertificate } from "./certificate.ts";
import {
  countUnfinished,
  describeOpenJobs,
  readDatabaseState,
  skipLongWaits,
  type DatabaseState,
} from "../oracle/database-state.ts";
import { newFaultCatalog, type Repairs } from "./fault-catalog.ts";
import { newHistory, type History } from "../oracle/history.ts";
import { database, installGateway, type Installation } from "../installation/installation.ts";
import { newJourney, type PaymentJourney } from "./journey.ts";
import { reconcileProviders } from "../oracle/reconcile-providers.ts";
import { endPendingOperations } from "./pending-operations.ts";
import { newRandom, type Random } from "../../server/test/bank/seeded-random.ts";
import { openShop } from "../trial/shop.ts";
import { watchBatches, type BatchCounts, type BatchWatch } from "./storm-batches.ts";
import { noMoves, startMoves, type MoveCounts, type StormMoves } from "./storm-moves.ts";
import { startPayouts, type StormPayoutResult, type StormPayouts } from "./storm-payouts.ts";
import type { StormEnvironment } from "./merchant-requests.ts";
import { readProviderJournal, type ProviderJournal } from "../oracle/provider-journal.ts";

export interface StormOptions extends FaultInjectionOptions {
  readonly seed: number;
  readonly payments: number;
  /** Number of concurrent buyers. */
  readonly atOnce: number;
  /** Live mode: the gateway verifies every callback about money by an inquiry at the provider. */
  readonly live: boolean;
  /** True for the control run, which has the same payments and no faults. */
  readonly calm: boolean;
  /** Timeout for all records to become final after the faults. */
  readonly finalWithinSeconds: number;
  /** Whether PostgreSQL fsyncs. */
  readonly durable: boolean;
  /** Reports progress. */
  readonly logProgress: (line: string) => void;
}

/** The result of a storm. */
export interface StormResult {
  readonly history: History;
  readonly databaseState: DatabaseState;
  readonly journal: ProviderJournal;
  readonly payouts: StormPayoutResult;
  readonly moves: MoveCounts;
  readonly batches: BatchCounts;
  readonly unexpectedExits: readonly string[];
  readonly suspiciousLines: readonly string[];
  readonly alerts: readonly string[];
  readonly repairs: Repairs;
  readonly conditions: Conditions;
  /** The time at which the history's clock began, in epoch milliseconds. */
  readonly startedAtEpochMs: number;
  /** Milliseconds from the first payment until both the faults and the payments have ended. */
  readonly stormMs: number;
  /** Milliseconds from the end of the storm until all records were final. */
  readonly quietMs: number;
}

/** Conditions that were constant during the storm. */
export interface Conditions {
  readonly live: boolean;
  /** Clock skew of the second host. */
  readonly secondHostSkewMs: number;
  readonly feeBasisPoints: number;
  /** Quiet time of each provider: how long its "not found" was not trusted. */
  readonly quietSeconds: readonly [first: number, second: number];
  /** Whether requests to providers could arrive after the gateway's timeout. */
  readonly lateArrival: boolean;
}

const hourMs = 3_600_000;
const feeBasisPoints = 130;
/** Quiet times, longer than any delay of a request: after this time it has arrived, or never will. */
const quietSeconds = [15, 5] as const;
const shopHost = "shop.example";
/** A storm of at least this many seconds has long network partitions. A shorter storm has no time for them. */
const longStormSeconds = 600;
const partitionMs = { long: [30_000, 120_000], short: [8_000, 10_000] } as const;

/** Journeys that still run start new operations, so the providers end pending ones at this interval. */
const endEveryMs = 3_000;
const replaysAtOnce = 16;
const replaysMax = 600;

/**
 * Runs payments under faults (the storm: a load-and-fault test). Then all faults end, all records become final, and a
 * sample of requests is repeated.
 */
export async function runStorm(options: StormOptions): Promise<StormResult> {
  const { seed, logProgress, durable, live } = options;
  const random = newRandom(seed);
  const history = newHistory();
  const startedAt = { ms: performance.now(), epochMs: Date.now() };
  const nowMs = (): number => performance.now() - startedAt.ms;
  let gatewayKey: KeyObject | undefined;
  const readKey = (): KeyObject => {
    assert(gatewayKey, "No webhook is sent before the gateway has a key.");
    return gatewayKey;
  };
  const certificate = live ? newCertificate(shopHost) : undefined;
  const draws = random.fork("shop");
  const shop = await openShop({ history, random: draws, gatewayPublicKey: readKey, nowMs, certificate });
  logProgress("starting PostgreSQL with a standby, the gateway's processes and two providers");
  const state = { isActive: true };
  // Merchants move between two cells only in a full storm. A run without faults, or with selected faults, has one cell.
  const hasMoves = !options.calm && options.kinds.length === 0;
  const secondHostSkewMs = random.fork("clocks").pick([-hourMs, hourMs]);
  const installation = await installGateway({
    durable,
    shopPort: shop.port,
    hasSecondProvider: true,
    hasSecondCell: hasMoves,
    quietSeconds,
    feeBasisPoints,
    secondHostSkewMs,
    ...(certificate && { live: { certificateFile: certificate.file } }),
  });
  try {
    const { privateKey, gatewayPublicKey, isLive } = installation;
    gatewayKey = createPublicKey(gatewayPublicKey);
    const caller = newCaller({ history, privateKey, gatewayPublicKey, isLive, nowMs });
    const environment: StormEnvironment = {
      installation,
      caller,
      history,
      nowMs,
      notifyUrl: `${shopUrl(installation)}/notify?from=tollgate`,
      isActive: () => state.isActive && !options.signal.aborted,
    };
    await setNotifyUrls(environment);
    const lateArrival = await canArriveLate(installation);
    const { seconds: faultSeconds } = options;
    const payouts = await startPayouts({
      installation,
      random: random.fork("payouts"),
      seconds: faultSeconds,
      logProgress,
    });
    const moves = hasMoves
      ? startMoves({ installation, random: random.fork("moves"), seconds: faultSeconds, logProgress })
      : undefined;
    const batches = watchBatches(installation);
    const conditions = { live, secondHostSkewMs, feeBasisPoints, quietSeconds, lateArrival };
    startedAt.ms = performance.now();
    startedAt.epochMs = Date.now();
    const run = { options, random, history, environment, nowMs, state, conditions, payouts, moves, batches };
    const stormResult = await runUntilFinal(run);
    caller.close();
    return { ...stormResult, startedAtEpochMs: startedAt.epochMs };
  } finally {
    state.isActive = false;
    await installation.stop();
    await shop.close();
    certificate?.remove();
  }
}

/** Live mode sends requests only through its proxy, in which the shop has a host name. */
function shopUrl({ isLive, proxies }: Installation): string {
  return isLive ? `https://${shopHost}` : `http://127.0.0.1:${proxies.workToShop.port}`;
}

/** `canArriveLate` returns whether the provider can delay a request, because an older provider can not. */
async function canArriveLate({ providers }: Installation): Promise<boolean> {
  const [provider] = providers;
  const fault = { kind: "late-arrival", match: { verb: "refund" }, delayMs: 1 };
  const isKnown = (await provider?.control("POST", "/control/faults", fault)) === 200;
  await provider?.clearFaults();
  return isKnown;
}

/** Payments and refunds carry a webhook URL; for disputes and payouts each merchant has one configured. */
async function setNotifyUrls({ installation, notifyUrl }: StormEnvironment): Promise<void> {
  await installation.cluster.execute(
    database,
    `insert into notify_urls (bucket, client_id, kind, url)
     select bucket, client_id, kind, '${notifyUrl}' from clients,
       unnest(array['notifyDispute', 'notifyPayout', 'notifyBankAccount']) as kind`,
  );
}

interface StormRun {
  readonly options: StormOptions;
  readonly random: Random;
  readonly history: History;
  readonly environment: StormEnvironment;
  readonly nowMs: () => number;
  readonly state: { isActive: boolean };
  readonly conditions: Conditions;
  readonly payouts: StormPayouts;
  /** The moves of merchants between cells; undefined if there is only one cell. */
  readonly moves: StormMoves | undefined;
  readonly batches: BatchWatch;
}

async function runUntilFinal(run: StormRun): Promise<Omit<StormResult, "startedAtEpochMs">> {
  const { options, random, history, environment, nowMs, state } = run;
  const { installation } = environment;
  const { conditions } = run;
  const catalog = newFaultCatalog(installation, random.fork("faults"), {
    partitionMs: options.seconds < longStormSeconds ? partitionMs.short : partitionMs.long,
    lateArrival: conditions.lateArrival,
  });
  const stopFaults = new AbortController();
  const faultInjection = options.calm ? Promise.resolve() : injectFaults(run, catalog, stopFaults.signal);
  const { journeys, activeCount, allEnded } = await startJourneys(run, faultInjection);
  stopFaults.abort();
  await faultInjection;
  await healAll(installation);
  const stormMs = nowMs();
  options.logProgress(
    `${history.faults.length} faults and all payments have ended after ${seconds(stormMs)}; waiting until all records are final`,
  );

  const moves = (await run.moves?.finish()) ?? noMoves;
  await waitUntilAllFinal(run, activeCount);
  const quietMs = nowMs() - stormMs;
  options.logProgress(`all final ${seconds(quietMs)} later; repeating a sample of requests`);
  state.isActive = false;
  await allEnded;
  await replayRequests(run, journeys);
  await Promise.all(installation.providers.map((provider) => provider.clearFaults()));
  const payouts = await run.payouts.finish();
  await waitUntilAllFinal(run, activeCount);
  const batches = await run.batches.finish();
  const processes = installation.processes();
  const breaks = await reconcileProviders(installation);
  const databaseState = await readDatabaseState(installation.cluster, breaks);
  options.logProgress(
    `${databaseState.disputes.length} payments were disputed; match finds ${breaks.length} breaks`,
  );
  return {
    history,
    databaseState,
    journal: readProviderJournal(installation.effects()),
    payouts,
    moves,
    batches,
    unexpectedExits: processes.flatMap(({ unexpectedExits }) => unexpectedExits),
    suspiciousLines: processes.flatMap(({ name, suspiciousLines }) =>
      suspiciousLines.map((line) => `${name}: ${line}`),
    ),
    alerts: processes.flatMap(({ alerts }) => alerts),
    repairs: catalog.repairs,
    conditions,
    stormMs,
    quietMs,
  };
}

interface RunningJourneys {
  readonly journeys: readonly PaymentJourney[];
  /** Number of journeys that have not ended. */
  readonly activeCount: () => number;
  readonly allEnded: Promise<unknown>;
}

/** Starts payments at an even pace, until enough of them are recorded and the time is over. */
async function startJourneys(
  { options, random, environment, nowMs }: StormRun,
  faultInjection: Promise<void>,
): Promise<RunningJourneys> {
  const gapMs = (options.seconds * 1_000) / options.payments;
  const journeys: PaymentJourney[] = [];
  const runningJourneys: Promise<void>[] = [];
  let activeCount = 0;
  let acceptedCount = 0;
  let failedCount = 0;
  let reportedAtMs = 0;
  const startJourney = (): void => {
    const journey = newJourney(environment, random.fork(journeys.length), journeys.length);
    journeys.push(journey);
    activeCount += 1;
    const onAccepted = (isAccepted: boolean): void =>
      void (isAccepted ? (acceptedCount += 1) : (failedCount += 1));
    runningJourneys.push(journey.run(onAccepted).finally(() => (activeCount -= 1)));
  };
  // A fault that can not be repaired is a bug of the storm, and ends it.
  const failed = faultInjection.then(() => new Promise<never>(() => undefined));
  while (acceptedCount < options.payments || nowMs() < options.seconds * 1_000) {
    if (options.signal.aborted) throw new Error("Stopped by a signal.");
    const shouldStart = journeys.length - failedCount < options.payments && activeCount < options.atOnce;
    if (shouldStart && nowMs() >= journeys.length * gapMs) startJourney();
    else await Promise.race([waitMs(Math.min(gapMs, 20)), failed]);
    if (nowMs() - reportedAtMs > 5_000) {
      reportedAtMs = nowMs();
      options.logProgress(
        `${acceptedCount} payments after ${seconds(reportedAtMs)}, ${activeCount} under way`,
      );
    }
  }
  return { journeys, activeCount: () => activeCount, allEnded: Promise.all(runningJourneys) };
}

async function healAll({ proxies, providers, processes }: Installation): Promise<void> {
  for (const proxy of Object.values(proxies).flat()) proxy.heal();
  for (const child of processes()) child.thaw();
  await Promise.all(providers.map((provider) => provider.clearFaults()));
}

/** Waits until all work is complete, here and at the provider, and merchants are notified. */
async function waitUntilAllFinal(
  { environment, nowMs, options, state, random }: StormRun,
  activeCount: () => number,
): Promise<void> {
  const { cluster, effects, providers } = environment.installation;
  const endDraws = random.fork("ends");
  let nextEndAtMs = 0;
  const finalWithinMs = options.finalWithinSeconds * 1_000;
  const healedAtMs = nowMs();
  let reportedAtMs = healedAtMs;
  while (nowMs() < healedAtMs + finalWithinMs && !options.signal.aborted) {
    if (nowMs() >= nextEndAtMs) {
      nextEndAtMs = nowMs() + endEveryMs;
      await endPendingOperations(providers, endDraws);
    }
    await skipLongWaits(cluster);
    const remaining = {
      ...(await countUnfinished(cluster)),
      ...(activeCount() > 0 && { journeys: activeCount() }),
    };
    if (Object.keys(remaining).length === 0 && isQuiet(readProviderJournal(effects()))) return;
    if (nowMs() - reportedAtMs > 5_000) {
      reportedAtMs = nowMs();
      const processes = Object.entries(remaining).map(([name, count]) => `${count} ${name}`);
      options.logProgress(
        `${seconds(reportedAtMs - healedAtMs)} later, not final yet: ${processes.join(", ")}`,
      );
      const openCount = Object.values(remaining).reduce((sum, count) => sum + count, 0);
      if (openCount <= 3) (await describeOpenJobs(cluster)).forEach(options.logProgress);
    }
    // After half of the time limit, journeys that have not ended stop retrying.
    if (nowMs() > healedAtMs + finalWithinMs / 2) state.isActive = false;
    await waitMs(250);
  }
}

/** Whether nothing is in progress at the providers, and the gateway has confirmed all callbacks. */
function isQuiet({ unconfirmed, pending }: ProviderJournal): boolean {
  return unconfirmed.length === 0 && pending.size === 0;
}

/** Idempotency: repeats a sample of the requests, or their inquiries, which must create nothing new. */
async function replayRequests(
  { environment, random }: StormRun,
  journeys: readonly PaymentJourney[],
): Promise<void> {
  const { caller, installation } = environment;
  const draws = random.fork("again");
  const share = replaysMax / journeys.length;
  const remaining = journeys.filter(() => draws.chance(share)).values();
  const replayNext = async (): Promise<void> => {
    for (const { merchant, paymentRequestId: requestId, request } of remaining) {
      const { port } = draws.pick(installation.proxies.merchantsToServe);
      const body = { paymentRequestId: requestId };
      const inquiry = { verb: "inquiryPayment", requestId, body } as const;
      const nextRequest = draws.chance(0.5) ? (request() ?? inquiry) : inquiry;
      await caller.call({ ...nextRequest, merchant, port });
    }
  };
  await Promise.all(Array.from({ length: replaysAtOnce }, replayNext));
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
