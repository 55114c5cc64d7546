import { median, p99, sum } from "./reports/figures.ts";
import type { Second } from "./overload/overload-caller.ts";
import { limits, missesOf, overloadsOf, recoverySecondsMax, type Overloads } from "./overload/overloads.ts";
import { buildImage, operateImage, startOfImage, userOfImage } from "./packages/package-image.ts";
import { podman, type Container } from "./packages/podman.ts";
import { runProof, type Shown } from "./reports/run-proof.ts";
import {
  breakGround,
  isReady,
  openStreet,
  openWallet,
  until,
  type Ground,
  type Street,
} from "./trial/test-environment.ts";
import type { WalletProcess } from "./installation/provider-process.ts";

const retries = 3;
/** The load as a multiple of the capacity. With three retries, twice the payments are about six times the requests. */
const retriedTimes = 2;
/** The rate of merchants that keep to their limits. */
const usualPerSecond = 30;
const greedyLimit = 20;
const greedyTimes = 20;
const greedyTurns = 5;
const othersTimesMax = 1.5;
const deadMethod = "DANA";
const deadPerSecond = 20;
const healthyTimesMax = 1.2;
const breakerSecondsMax = 5;
/** Milliseconds within which a process reads changed merchants and connectors. */
const takenUpMs = 11_000;

await runProof({
  name: "overload-image",
  claim:
    "The limits of overload.ts, for `serve` of the image: read-only, without capabilities, not as root, in a container of podman, with PostgreSQL that fsyncs. **Retries**: twice the payments of its capacity, over keep-alive connections, from clients that retry " +
    `${retries} times, with a random pause that doubles, when they are rejected with a retry hint: about six times the requests. It completes at least ${limits.kept.goodputMin * 100} % of its capacity, answers 99 % of the accepted requests within ${limits.kept.goodP99MsMax} ms and rejects 99 % of the rest within ${limits.kept.refusedP99MsMax} ms; every request gets a response, and the usual throughput is restored after at most ${recoverySecondsMax} s. The result for five times the payments from the same clients, about twenty times the requests, is reported without a limit, because the rejections and the load generator use both processors completely. ` +
    `**Greed**: one merchant sends ${greedyTimes} times its rate limit, while others send ${usualPerSecond} payments per second: all of these are accepted, and their 99th percentile is at most ${othersTimesMax} times that without the first merchant, as the median of ${greedyTurns} turns each. ` +
    `**A dead provider**: one of two is frozen, with ${deadPerSecond} payments per second for it; payments with the other are all accepted, with a 99th percentile of at most ${healthyTimesMax} times that before, and after at most ${breakerSecondsMax} s those for the dead one are rejected. ` +
    "Each part is measured alone. Callers and the process have priority over the database and the providers, and no worker runs. Tries are seconds of each part.",
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
  const { control } = street.provider;
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
    const dead = await measureDeadProvider(overloads, shorter);
    say(`a dead provider: ${JSON.stringify(dead.figures)}`);
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

/** Alternating turns with and without the excessive merchant, so that other load on the machine affects both. */
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
  // The excessive merchant may send its burst at the start of each turn, and then its rate.
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
      ...(notTaken > 0 ? [`greed: ${notTaken} payments of others were not accepted`] : []),
      ...(greedyTaken > mayTake
        ? [`greed: ${greedyTaken} of its payments were accepted, and the limit is ${mayTake}`]
        : []),
    ],
  };
}

/** Payments with a healthy provider, before and after another has frozen. */
async function measureDeadProvider({ call }: Overloads, { street, dead, seconds }: Place): Promise<Shown> {
  const [, ...clientIds] = street.merchants.map(({ clientId }) => clientId);
  const healthy = { seconds, isFresh: false, perSecond: usualPerSecond, clientIds };
  const forDead = { ...healthy, perSecond: deadPerSecond, paymentMethodType: deadMethod };
  const [before] = await Promise.all([call(healthy), call(forDead)]);
  dead.part.freeze();
  const [during, refused] = await Promise.all([call(healthy), call(forDead)]);
  dead.part.thaw();
  const times = rounded(p99Of(during) / p99Of(before));
  const notTaken = notTakenOf(during);
  // The circuit breaker counts as open after the last second in which a payment was accepted or lost, because it then
  // rejects every payment.
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
      ...(notTaken > 0 ? [`dead: ${notTaken} payments with the other provider were not accepted`] : []),
      ...(openAfter > breakerSecondsMax ? [`dead: payments for it were accepted for ${openAfter} s`] : []),
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
