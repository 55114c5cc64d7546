import assert from "node:assert/strict";
import { createPublicKey, type KeyObject } from "node:crypto";
import { setTimeout as waitMs } from "node:timers/promises";
import { breakThings, type BreakingOptions } from "./break-things.ts";
import { newCaller } from "../trial/caller.ts";
import { newCertificate } from "./certificate.ts";
import { countUnfinished, readEvidence, skipNotificationGaps, type Evidence } from "../oracle/evidence.ts";
import { newMenu, type Repairs } from "./fault-menu.ts";
import { newHistory, type History } from "../oracle/history.ts";
import { database, install, type Installation } from "../installation/installation.ts";
import { newJourney, type Journey } from "./journey.ts";
import { compareLedgers } from "../oracle/compare-ledger.ts";
import { newRandom, type Random } from "../../server/test/bank/seeded-random.ts";
import { openShop } from "../trial/shop.ts";
import { watchBatches, type BatchesSeen, type BatchWatch } from "./storm-batches.ts";
import { noMoves, startMoves, type MovesSeen, type StormMoves } from "./storm-moves.ts";
import { startPayouts, type PayoutsSeen, type StormPayouts } from "./storm-payouts.ts";
import type { World } from "./traveller.ts";
import { readTruth, type Truth } from "../oracle/truth.ts";

export interface StormOptions extends BreakingOptions {
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
  readonly tell: (what: string) => void;
}

/** The result of a storm. */
export interface Aftermath {
  readonly history: History;
  readonly evidence: Evidence;
  readonly truth: Truth;
  readonly payouts: PayoutsSeen;
  readonly moves: MovesSeen;
  readonly batches: BatchesSeen;
  readonly ownEndings: readonly string[];
  readonly suspiciousLines: readonly string[];
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
  readonly secondHostMs: number;
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

const replaysAtOnce = 16;
const replaysMax = 600;

/**
 * Runs payments under faults (the storm: a load-and-fault test). Then all faults end, all records become final, and a
 * sample of requests is repeated.
 */
export async function runStorm(options: StormOptions): Promise<Aftermath> {
  const { seed, tell, durable, live } = options;
  const random = newRandom(seed);
  const history = newHistory();
  const startedAt = { ms: performance.now(), epochMs: Date.now() };
  const nowMs = (): number => performance.now() - startedAt.ms;
  let gatewayKey: KeyObject | undefined;
  const knownKey = (): KeyObject => {
    assert(gatewayKey, "No webhook is sent before the gateway has a key.");
    return gatewayKey;
  };
  const certificate = live ? newCertificate(shopHost) : undefined;
  const draws = random.fork("shop");
  const shop = await openShop({ history, random: draws, gatewayPublicKey: knownKey, nowMs, certificate });
  tell("starting PostgreSQL with a standby, the gateway's processes and two providers");
  const state = { goesOn: true };
  // Merchants move between two cells only in a full storm. A run without faults, or with selected faults, has one cell.
  const hasMoves = !options.calm && options.kinds.length === 0;
  const secondHostMs = random.fork("clocks").pick([-hourMs, hourMs]);
  const installation = await install({
    durable,
    shopPort: shop.port,
    hasSecondProvider: true,
    hasSecondCell: hasMoves,
    quietSeconds,
    feeBasisPoints,
    secondHostMs,
    ...(certificate && { live: { certificateFile: certificate.file } }),
  });
  try {
    const { privateKey, gatewayPublicKey, isLive } = installation;
    gatewayKey = createPublicKey(gatewayPublicKey);
    const caller = newCaller({ history, privateKey, gatewayPublicKey, isLive, nowMs });
    const world: World = {
      installation,
      caller,
      history,
      nowMs,
      notifyUrl: `${shopUrl(installation)}/notify?from=tollgate`,
      goesOn: () => state.goesOn && !options.signal.aborted,
    };
    await setNotifyUrls(world);
    const lateArrival = await canArriveLate(installation);
    const { seconds: breaksFor } = options;
    const payouts = await startPayouts({
      installation,
      random: random.fork("payouts"),
      seconds: breaksFor,
      tell,
    });
    const moves = hasMoves
      ? startMoves({ installation, random: random.fork("moves"), seconds: breaksFor, tell })
      : undefined;
    const batches = watchBatches(installation);
    const conditions = { live, secondHostMs, feeBasisPoints, quietSeconds, lateArrival };
    startedAt.ms = performance.now();
    startedAt.epochMs = Date.now();
    const weather = { options, random, history, world, nowMs, state, conditions, payouts, moves, batches };
    const aftermath = await blowOver(weather);
    caller.close();
    return { ...aftermath, startedAtEpochMs: startedAt.epochMs };
  } finally {
    state.goesOn = false;
    await installation.stop();
    await shop.close();
    certificate?.remove();
  }
}

/** Live mode sends requests only through its proxy, in which the shop has a host name. */
function shopUrl({ isLive, lines }: Installation): string {
  return isLive ? `https://${shopHost}` : `http://127.0.0.1:${lines.workToShop.port}`;
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
async function setNotifyUrls({ installation, notifyUrl }: World): Promise<void> {
  await installation.cluster.execute(
    database,
    `insert into notify_urls (bucket, client_id, kind, url)
     select bucket, client_id, kind, '${notifyUrl}' from clients,
       unnest(array['notifyDispute', 'notifyPayout', 'notifyBankAccount']) as kind`,
  );
}

interface Weather {
  readonly options: StormOptions;
  readonly random: Random;
  readonly history: History;
  readonly world: World;
  readonly nowMs: () => number;
  readonly state: { goesOn: boolean };
  readonly conditions: Conditions;
  readonly payouts: StormPayouts;
  /** The moves of merchants between cells; undefined if there is only one cell. */
  readonly moves: StormMoves | undefined;
  readonly batches: BatchWatch;
}

async function blowOver(weather: Weather): Promise<Omit<Aftermath, "startedAtEpochMs">> {
  const { options, random, history, world, nowMs, state } = weather;
  const { installation } = world;
  const { conditions } = weather;
  const menu = newMenu(installation, random.fork("faults"), {
    partitionMs: options.seconds < longStormSeconds ? partitionMs.short : partitionMs.long,
    lateArrival: conditions.lateArrival,
  });
  const calm = new AbortController();
  const breaking = options.calm ? Promise.resolve() : breakThings(weather, menu, calm.signal);
  const { journeys, underWay, ended } = await startJourneys(weather, breaking);
  calm.abort();
  await breaking;
  await heal(installation);
  const stormMs = nowMs();
  options.tell(
    `${history.faults.length} faults and all payments have ended after ${seconds(stormMs)}; waiting until all records are final`,
  );

  const moves = (await weather.moves?.finish()) ?? noMoves;
  await untilAllIsFinal(weather, underWay);
  const quietMs = nowMs() - stormMs;
  options.tell(`all final ${seconds(quietMs)} later; repeating a sample of requests`);
  state.goesOn = false;
  await ended;
  await askAgain(weather, journeys);
  await Promise.all(installation.providers.map((provider) => provider.clearFaults()));
  const payouts = await weather.payouts.finish();
  await untilAllIsFinal(weather, underWay);
  const batches = await weather.batches.finish();
  const parts = installation.parts();
  const breaks = await compareLedgers(installation);
  const evidence = await readEvidence(installation.cluster, breaks);
  options.tell(`${evidence.disputes.length} payments were disputed; match finds ${breaks.length} breaks`);
  return {
    history,
    evidence,
    truth: readTruth(installation.effects()),
    payouts,
    moves,
    batches,
    ownEndings: parts.flatMap(({ ownEndings }) => ownEndings),
    suspiciousLines: parts.flatMap(({ name, suspiciousLines }) =>
      suspiciousLines.map((line) => `${name}: ${line}`),
    ),
    repairs: menu.repairs,
    conditions,
    stormMs,
    quietMs,
  };
}

interface Travel {
  readonly journeys: readonly Journey[];
  /** Number of journeys that have not ended. */
  readonly underWay: () => number;
  readonly ended: Promise<unknown>;
}

/** Starts payments at an even pace, until enough of them are recorded and the time is over. */
async function startJourneys(
  { options, random, world, nowMs }: Weather,
  breaking: Promise<void>,
): Promise<Travel> {
  const gapMs = (options.seconds * 1_000) / options.payments;
  const journeys: Journey[] = [];
  const all: Promise<void>[] = [];
  let underWay = 0;
  let made = 0;
  let missed = 0;
  let toldAtMs = 0;
  const start = (): void => {
    const journey = newJourney(world, random.fork(journeys.length), journeys.length);
    journeys.push(journey);
    underWay += 1;
    const onPaid = (isMade: boolean): void => void (isMade ? (made += 1) : (missed += 1));
    all.push(journey.run(onPaid).finally(() => (underWay -= 1)));
  };
  // A fault that can not be repaired is a bug of the storm, and ends it.
  const failed = breaking.then(() => new Promise<never>(() => undefined));
  while (made < options.payments || nowMs() < options.seconds * 1_000) {
    if (options.signal.aborted) throw new Error("Stopped by a signal.");
    const isWanted = journeys.length - missed < options.payments && underWay < options.atOnce;
    if (isWanted && nowMs() >= journeys.length * gapMs) start();
    else await Promise.race([waitMs(Math.min(gapMs, 20)), failed]);
    if (nowMs() - toldAtMs > 5_000) {
      toldAtMs = nowMs();
      options.tell(`${made} payments after ${seconds(toldAtMs)}, ${underWay} under way`);
    }
  }
  return { journeys, underWay: () => underWay, ended: Promise.all(all) };
}

async function heal({ lines, providers, parts }: Installation): Promise<void> {
  for (const line of Object.values(lines).flat()) line.heal();
  for (const part of parts()) part.thaw();
  await Promise.all(providers.map((provider) => provider.clearFaults()));
}

/** Waits until all work is complete, here and at the provider, and merchants are notified. */
async function untilAllIsFinal(
  { world, nowMs, options, state }: Weather,
  underWay: () => number,
): Promise<void> {
  const { cluster, effects } = world.installation;
  const finalWithinMs = options.finalWithinSeconds * 1_000;
  const healedAtMs = nowMs();
  let toldAtMs = healedAtMs;
  while (nowMs() < healedAtMs + finalWithinMs && !options.signal.aborted) {
    await skipNotificationGaps(cluster);
    const left = { ...(await countUnfinished(cluster)), ...(underWay() > 0 && { journeys: underWay() }) };
    if (Object.keys(left).length === 0 && readTruth(effects()).unconfirmed.length === 0) return;
    if (nowMs() - toldAtMs > 5_000) {
      toldAtMs = nowMs();
      const parts = Object.entries(left).map(([name, count]) => `${count} ${name}`);
      options.tell(`${seconds(toldAtMs - healedAtMs)} later, not final yet: ${parts.join(", ")}`);
    }
    // After half of the time limit, journeys that have not ended stop retrying.
    if (nowMs() > healedAtMs + finalWithinMs / 2) state.goesOn = false;
    await waitMs(250);
  }
}

/** Idempotency: repeats a sample of the requests, or their inquiries, which must create nothing new. */
async function askAgain({ world, random }: Weather, journeys: readonly Journey[]): Promise<void> {
  const { caller, installation } = world;
  const draws = random.fork("again");
  const share = replaysMax / journeys.length;
  const left = journeys.filter(() => draws.chance(share)).values();
  const ask = async (): Promise<void> => {
    for (const { merchant, paymentRequestId: requestId, asked } of left) {
      const { port } = draws.pick(installation.lines.merchantsToServe);
      const body = { paymentRequestId: requestId };
      const inquiry = { verb: "inquiryPayment", requestId, body } as const;
      const question = draws.chance(0.5) ? (asked() ?? inquiry) : inquiry;
      await caller.call({ ...question, merchant, port });
    }
  };
  await Promise.all(Array.from({ length: replaysAtOnce }, ask));
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
