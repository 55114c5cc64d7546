import assert from "node:assert/strict";
import { createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as waitMs } from "node:timers/promises";
import { newCaller } from "./caller.ts";
import { countUnfinished, readEvidence, skipNotificationGaps, type Evidence } from "./evidence.ts";
import { newMenu, seen, type Fault, type Menu, type Repairs } from "./fault-menu.ts";
import { newHistory, type History } from "./history.ts";
import { database, install, type Installation } from "./installation.ts";
import { newJourney, type Journey, type Offered, type World } from "./journey.ts";
import { newRandom, type Random } from "./random.ts";
import { openShop } from "./shop.ts";
import { readTruth, type Truth } from "./truth.ts";

export interface StormOptions {
  readonly seed: number;
  readonly payments: number;
  /** For how long things break; payments go on until there are enough. */
  readonly seconds: number;
  /** How many buyers there are at once. */
  readonly atOnce: number;
  /** The mean time from one fault to the next. */
  readonly faultEveryMs: number;
  /** Nothing breaks: what the same payments look like without a storm. */
  readonly calm: boolean;
  /** Only faults whose kind begins with one of these; when there are none, everything breaks. */
  readonly kinds: readonly string[];
  /** How long everything has to come to its end when the faults are over. */
  readonly finalWithinSeconds: number;
  /** Whether PostgreSQL waits for the disk. */
  readonly durable: boolean;
  /** Tells people how far it is. */
  readonly tell: (what: string) => void;
  /** Set when somebody wants to leave early. */
  readonly signal: AbortSignal;
}

/** What the storm left behind. */
export interface Aftermath {
  readonly history: History;
  readonly evidence: Evidence;
  readonly truth: Truth;
  readonly ownEndings: readonly string[];
  readonly suspiciousLines: readonly string[];
  readonly repairs: Repairs;
  readonly offered: Offered;
  readonly journeys: number;
  /** From the first payment until both the faults and the payments were over. */
  readonly stormMs: number;
  /** From then until everything was final. */
  readonly quietMs: number;
}

const replaysAtOnce = 16;
const replaysMax = 600;

/** Payments under faults; then everything heals, comes to its end, and is asked for once more. */
export async function runStorm(options: StormOptions): Promise<Aftermath> {
  const { seed, tell, durable } = options;
  const random = newRandom(seed);
  const history = newHistory();
  const startedAt = { ms: performance.now() };
  const nowMs = (): number => performance.now() - startedAt.ms;
  let gatewayKey: KeyObject | undefined;
  const knownKey = (): KeyObject => {
    assert(gatewayKey, "Nobody is told anything before the gateway has a key.");
    return gatewayKey;
  };
  const shop = await openShop({
    history,
    random: random.fork("shop"),
    gatewayPublicKey: knownKey,
    nowMs,
  });
  tell("starting PostgreSQL with a standby, two serve, two work and the wallet");
  const state = { goesOn: true };
  const installation = await install({ durable, shopPort: shop.port });
  try {
    const { privateKey, gatewayPublicKey } = installation;
    gatewayKey = createPublicKey(gatewayPublicKey);
    const caller = newCaller({ history, privateKey, gatewayPublicKey, nowMs });
    startedAt.ms = performance.now();
    const world: World = {
      installation,
      caller,
      offered: whatIsOffered(),
      notifyUrl: `http://127.0.0.1:${installation.lines.workToShop.port}/notify?from=tollgate`,
      goesOn: () => state.goesOn && !options.signal.aborted,
    };
    await hearOfDisputes(world);
    const aftermath = await blowOver({ options, random, history, world, nowMs, state });
    caller.close();
    return aftermath;
  } finally {
    state.goesOn = false;
    await installation.stop();
    await shop.close();
  }
}

/** Payments and refunds name the address of their news; of disputes merchants hear at one that they have set once. */
async function hearOfDisputes({ installation, notifyUrl }: World): Promise<void> {
  await installation.cluster.execute(
    database,
    `insert into notify_urls (bucket, client_id, kind, url)
     select bucket, client_id, 'notifyDispute', '${notifyUrl}' from clients`,
  );
}

interface Weather {
  readonly options: StormOptions;
  readonly random: Random;
  readonly history: History;
  readonly world: World;
  readonly nowMs: () => number;
  readonly state: { goesOn: boolean };
}

async function blowOver(weather: Weather): Promise<Aftermath> {
  const { options, random, history, world, nowMs, state } = weather;
  const { installation } = world;
  const menu = newMenu(installation, random.fork("faults"));
  const calm = new AbortController();
  const breaking = options.calm ? Promise.resolve() : breakThings(weather, menu, calm.signal);
  const { journeys, underWay, ended } = await startJourneys(weather, breaking);
  calm.abort();
  await breaking;
  await heal(installation);
  const stormMs = nowMs();
  options.tell(
    `${history.faults.length} faults and all payments are over after ${seconds(stormMs)}; waiting for everything to end`,
  );

  await untilAllIsFinal(weather, underWay);
  const quietMs = nowMs() - stormMs;
  options.tell(`all final ${seconds(quietMs)} later; asking for what was asked before once more`);
  state.goesOn = false;
  await ended;
  await askAgain(weather, journeys);
  await installation.control("DELETE", "/control/faults");
  const parts = [...installation.serves, ...installation.works, installation.wallet];
  const evidence = await readEvidence(installation.cluster);
  options.tell(`${evidence.disputes.length} payments were disputed`);
  return {
    history,
    evidence,
    truth: readTruth(installation.effects()),
    ownEndings: parts.flatMap(({ ownEndings }) => ownEndings),
    suspiciousLines: parts.flatMap(({ name, suspiciousLines }) =>
      suspiciousLines.map((line) => `${name}: ${line}`),
    ),
    repairs: menu.repairs,
    offered: world.offered,
    journeys: journeys.length,
    stormMs,
    quietMs,
  };
}

interface Travel {
  readonly journeys: readonly Journey[];
  /** How many have not come to their end. */
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
  // A fault that cannot be put right again is a fault of the storm, and ends it.
  const failed = breaking.then(() => new Promise<never>(() => undefined));
  while (made < options.payments || nowMs() < options.seconds * 1_000) {
    if (options.signal.aborted) throw new Error("Told to leave.");
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

/** Every so often something breaks, for as long as it is meant to. What must not be left to chance comes at its time. */
async function breakThings(
  { options, random, history, nowMs }: Weather,
  menu: Menu,
  calm: AbortSignal,
): Promise<void> {
  const busy = new Set<string>();
  const striking = new Set<Promise<void>>();
  const draws = random.fork("gaps");
  let problem: Error | undefined;
  const strike = (fault: Fault): boolean => {
    if (busy.has(fault.place)) return false;
    busy.add(fault.place);
    const atMs = nowMs();
    const struck = fault
      .strike()
      .then(() => void history.faults.push(seen(fault, atMs, nowMs() - atMs)))
      .catch((error: unknown) => {
        problem = new Error(`${fault.kind} of ${fault.target} could not be put right.`, { cause: error });
      })
      .finally(() => {
        striking.delete(struck);
        setTimeout(() => busy.delete(fault.place), fault.restMs ?? 0).unref();
      });
    striking.add(struck);
    return true;
  };
  const isWanted = ({ kind }: Fault): boolean =>
    options.kinds.length === 0 || options.kinds.some((wanted) => kind.startsWith(wanted));
  const drawWanted = (): Fault => {
    for (;;) {
      const fault = menu.draw();
      if (isWanted(fault)) return fault;
    }
  };
  const lastMs = options.seconds * 1_000;
  const named = [
    { atMs: lastMs * 0.08, make: menu.named["long freeze"] },
    { atMs: lastMs * 0.3, make: menu.named["fail over"] },
    { atMs: lastMs * 0.55, make: menu.named["kill primary"] },
    { atMs: lastMs * 0.75, make: menu.named["fail over frozen"] },
  ].filter(({ make }) => options.kinds.length === 0 || isWanted(make()));
  while (nowMs() < lastMs && !calm.aborted && problem === undefined && !options.signal.aborted) {
    const due = named.find(({ atMs }) => atMs <= nowMs());
    if (due && strike(due.make())) named.splice(named.indexOf(due), 1);
    else if (!due) strike(drawWanted());
    await waitMs((draws.between(50, 500) * options.faultEveryMs) / 275);
  }
  await Promise.all(striking);
  if (problem) throw problem;
}

async function heal({ lines, serves, works, wallet, control }: Installation): Promise<void> {
  for (const line of Object.values(lines).flat()) line.heal();
  for (const part of [...serves, ...works, wallet]) part.thaw();
  await control("DELETE", "/control/faults");
}

/** Everything that was begun has ended, here and at the wallet, and merchants know of it. */
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
    // Whoever has not come to an end by then asks for nothing more.
    if (nowMs() > healedAtMs + finalWithinMs / 2) state.goesOn = false;
    await waitMs(250);
  }
}

/** The same requests again, when all is over: they make nothing new, and say what was said before. */
async function askAgain({ world, random }: Weather, journeys: readonly Journey[]): Promise<void> {
  const { caller, installation } = world;
  const draws = random.fork("again");
  const share = replaysMax / journeys.length;
  const left = journeys.filter(() => draws.chance(share)).values();
  const ask = async (): Promise<void> => {
    for (const { merchant, paymentRequestId: requestId, payBody } of left) {
      const { port } = draws.pick(installation.lines.merchantsToServe);
      const inquiry = { verb: "inquiryPayment", body: { paymentRequestId: requestId } } as const;
      const { verb, body } = draws.chance(0.5) ? { verb: "pay" as const, body: payBody } : inquiry;
      await caller.call({ verb, merchant, requestId, body, port });
    }
  };
  await Promise.all(Array.from({ length: replaysAtOnce }, ask));
}

function whatIsOffered(): Offered {
  const text = readFileSync(new URL("../server/openapi.json", import.meta.url), "utf8");
  const { paths } = JSON.parse(text) as { readonly paths: object };
  const has = (verb: string): boolean =>
    Object.keys(paths).some((path) => path.endsWith(`/payments/${verb}`));
  return { refunds: has("refund"), captures: has("capture") };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
