import { median, p99, sum } from "./figures.ts";
import type { Second } from "./overload-caller.ts";
import { limits, missesOf, overloadsOf, recoverySecondsMax, type Overloads } from "./overloads.ts";
import { buildImage, operateImage, startOfImage, userOfImage } from "./package-image.ts";
import { podman, type Container } from "./podman.ts";
import { runProof, type Shown } from "./run-proof.ts";
import {
  breakGround,
  isReady,
  openStreet,
  openWallet,
  until,
  type Ground,
  type Street,
} from "./surroundings.ts";
import type { WalletProcess } from "./wallet-process.ts";

const retries = 3;
/** With so many retries, twice the payments are six times the requests. */
const retriedTimes = 2;
/** Merchants that behave. */
const usualPerSecond = 30;
const greedyLimit = 20;
const greedyTimes = 20;
const greedyTurns = 5;
const othersTimesMax = 1.5;
const deadMethod = "DANA";
const deadPerSecond = 20;
const healthyTimesMax = 1.2;
const breakerSecondsMax = 5;
/** A process takes up changed merchants and wallets within it. */
const takenUpMs = 11_000;

await runProof({
  name: "overload-image",
  claim:
    "The bounds of overload.ts, for `serve` of the image: read-only, without capabilities, not as root, in a container of podman, with PostgreSQL that fsyncs. **Retries**: twice the payments that it can take, over kept connections, from clients that come again " +
    `${retries} times, after a pause at random that doubles, when they are told to come later: some six times the requests. It does at least ${limits.kept.goodputMin * 100} % of what it can, answers 99 % of what it takes on within ${limits.kept.goodP99MsMax} ms and refuses 99 % of the rest within ${limits.kept.refusedP99MsMax} ms; nobody is left without an answer, and ${recoverySecondsMax} s later at most all is as it was. What becomes of five times the payments from the same clients, some twenty times the requests, is told, and not bounded: one process that refuses ten thousand a second, and who sends them, leave nothing of two processors. ` +
    `**Greed**: one merchant calls ${greedyTimes} times as often as it may, while others pay ${usualPerSecond} times a second: all of these are taken, and their 99th percentile is at most ${othersTimesMax} times that without it, in the middle of ${greedyTurns} turns each. ` +
    `**A dead wallet**: one of two freezes, with ${deadPerSecond} payments a second for it; payments by the other are all taken, their 99th percentile at most ${healthyTimesMax} times that before, and after ${breakerSecondsMax} s at most those for the dead one are refused. ` +
    "Each is measured by itself, callers and the process with priority over the database and the wallets, and nothing works beside it. Tries are seconds of each.",
  triesDefault: 60,
  async run({ tries: seconds, say }) {
    const image = await buildImage();
    const ground = await breakGround(userOfImage, true);
    try {
      const operate = operateImage(image, ground);
      const street = await openStreet(ground, operate);
      try {
        const dead = await openWallet(ground.folder, operate, { connector: "dead", methods: deadMethod });
        for (const { clientId } of street.merchants)
          await operate("merchant", "set", clientId, "--rate", "100000", "--burst", "100000");
        const serve = await startOfImage(image, ground, "serve");
        try {
          await until(() => isReady(ground.port), "the container to serve");
          return await overload({ ground, street, dead, serve, seconds, operate, say });
        } finally {
          await dead.part.kill();
          await serve.stop(10);
        }
      } finally {
        await street.stop();
      }
    } finally {
      await ground.stop();
    }
  },
});

interface Place {
  readonly ground: Ground;
  readonly street: Street;
  readonly dead: WalletProcess;
  readonly serve: Container;
  readonly seconds: number;
  operate(...words: readonly string[]): Promise<string>;
  say(line: string): void;
}

async function overload(place: Place): Promise<Shown> {
  const { ground, street, serve, seconds, say } = place;
  const servePid = Number(await podman("inspect", "--format", "{{.State.Pid}}", serve.id));
  const { merchants, privateKey } = street;
  const { control } = street.wallet;
  const target = { port: ground.port, servePid, merchants, privateKey, control, stop: async () => {} };
  const overloads = await overloadsOf(target, retries);
  try {
    const { isFresh: _, ...retried } = await overloads.run(false, seconds, retriedTimes);
    say(`retries: ${JSON.stringify(retried)}`);
    const shorter = { ...place, seconds: Math.min(60, seconds) };
    const { isFresh: __, ...worst } = await overloads.run(false, shorter.seconds);
    say(`retries of five times the payments: ${JSON.stringify(worst)}`);
    const greed = await measureGreed(overloads, shorter);
    say(`greed: ${JSON.stringify(greed.figures)}`);
    const dead = await measureDeadWallet(overloads, shorter);
    say(`a dead wallet: ${JSON.stringify(dead.figures)}`);
    const named = [
      ...Object.entries(retried).map(([name, figure]) => [`retries_${name}`, figure] as const),
      ...Object.entries(worst).map(([name, figure]) => [`retries_of_5_times_${name}`, figure] as const),
    ];
    return {
      figures: { ...Object.fromEntries(named), ...greed.figures, ...dead.figures },
      misses: [...missesOf({ isFresh: false, ...retried }), ...greed.misses, ...dead.misses],
    };
  } finally {
    await overloads.stop();
  }
}

/** Merchants that behave, in turns with nothing beside them and with one that does not: what else hinders the machine hinders both. */
async function measureGreed({ call }: Overloads, { street, seconds, operate }: Place): Promise<Shown> {
  const [greedy = "", ...others] = street.merchants.map(({ clientId }) => clientId);
  const [rate, burst] = [String(greedyLimit), String(greedyLimit)];
  await operate("merchant", "set", greedy, "--rate", rate, "--burst", burst);
  await new Promise((resolve) => setTimeout(resolve, takenUpMs));
  const turnSeconds = Math.ceil(seconds / greedyTurns);
  const behave = { seconds: turnSeconds, isFresh: false, perSecond: usualPerSecond, clientIds: others };
  const [alone, beside]: [number[], number[]] = [[], []];
  let [notTaken, greedyTaken] = [0, 0];
  for (let turn = 0; turn < greedyTurns; turn++) {
    alone.push(p99Of(await call(behave)));
    const [during, refused] = await Promise.all([
      call(behave),
      call({ ...behave, perSecond: greedyLimit * greedyTimes, clientIds: [greedy] }),
    ]);
    beside.push(p99Of(during));
    notTaken += notTakenOf(during);
    greedyTaken += sum(refused.map(({ good }) => good));
  }
  const times = rounded(median(beside) / median(alone));
  // Its burst, and then its rate.
  const mayTake = greedyLimit * (turnSeconds + 1) * greedyTurns;
  return {
    figures: {
      greed_others_p99_ms: `${alone.join(", ")} without it, ${beside.join(", ")} with it`,
      greed_others_times: times,
      greed_others_not_taken: notTaken,
      greed_taken: `${greedyTaken} of ${greedyLimit * greedyTimes * turnSeconds * greedyTurns}, may ${mayTake}`,
    },
    misses: [
      ...(times > othersTimesMax ? [`greed: others' 99th percentile is ${times} times that before`] : []),
      ...(notTaken > 0 ? [`greed: ${notTaken} payments of others were not taken`] : []),
      ...(greedyTaken > mayTake
        ? [`greed: ${greedyTaken} payments were taken of it, and it may ${mayTake}`]
        : []),
    ],
  };
}

/** Payments by a wallet that is well, before and after another has frozen. */
async function measureDeadWallet({ call }: Overloads, { street, dead, seconds }: Place): Promise<Shown> {
  const [, ...clientIds] = street.merchants.map(({ clientId }) => clientId);
  const healthy = { seconds, isFresh: false, perSecond: usualPerSecond, clientIds };
  const forDead = { ...healthy, perSecond: deadPerSecond, paymentMethodType: deadMethod };
  const [before] = await Promise.all([call(healthy), call(forDead)]);
  dead.part.freeze();
  const [during, refused] = await Promise.all([call(healthy), call(forDead)]);
  dead.part.thaw();
  const times = rounded(p99Of(during) / p99Of(before));
  const notTaken = notTakenOf(during);
  // A second in which any was taken on is one in which the breaker was not open all the time.
  const openAfter = refused.findLastIndex(({ good, lost }) => good + lost > 0) + 1;
  return {
    figures: {
      dead_healthy_p99_ms: `${p99Of(before)} before, ${p99Of(during)} beside it`,
      dead_healthy_times: times,
      dead_healthy_not_taken: notTaken,
      dead_refused_after_seconds: openAfter,
      dead_refused: sum(refused.map(({ unavailable }) => unavailable)),
    },
    misses: [
      ...(times > healthyTimesMax ? [`dead: the other's 99th percentile is ${times} times that before`] : []),
      ...(notTaken > 0 ? [`dead: ${notTaken} payments by the other wallet were not taken`] : []),
      ...(openAfter > breakerSecondsMax ? [`dead: payments for it were taken for ${openAfter} s`] : []),
    ],
  };
}

function p99Of(seconds: readonly Second[]): number {
  // The first second opens connections.
  return p99(seconds.slice(1).flatMap(({ goodMs }) => goodMs));
}

function notTakenOf(seconds: readonly Second[]): number {
  return sum(seconds.map(({ refused, unavailable, lost }) => refused + unavailable + lost));
}

function rounded(figure: number): number {
  return Math.round(figure * 100) / 100;
}
