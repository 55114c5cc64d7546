import { median, p99, sum } from "./reports/statistics.ts";
import type { Second } from "./overload/overload-caller.ts";
import {
  limits,
  findMisses,
  newOverloadRunner,
  recoverySecondsMax,
  type OverloadRunner,
} from "./overload/overload-runner.ts";
import { buildImage, newImageOperator, startImage, imageUser } from "./packages/package-image.ts";
import { podman, type Container } from "./packages/podman.ts";
import { runProof, type ProofResult } from "./reports/run-proof.ts";
import {
  prepareHost,
  isReady,
  openCounterparties,
  addProvider,
  waitUntil,
  type PreparedHost,
  type Counterparties,
} from "./trial/test-environment.ts";
import type { ProviderProcess } from "./installation/provider-process.ts";

const retries = 3;
/** The load as a multiple of the capacity. With three retries, twice the payments are about six times the requests. */
const retriedTimes = 2;
/** The rate of merchants that keep to their limits. */
const usualPerSecond = 30;
const greedyLimit = 20;
const greedyTimes = 20;
const greedyRounds = 5;
const othersTimesMax = 1.5;
const deadMethod = "DANA";
const deadPerSecond = 20;
const healthyTimesMax = 1.2;
const breakerSecondsMax = 5;
/** Milliseconds within which a process reads changed merchants and connectors. */
const reloadMs = 11_000;

await runProof({
  name: "overload-image",
  claim:
    "The limits of overload.ts, for `serve` of the image: read-only, without capabilities, not as root, in a container of podman, with PostgreSQL that fsyncs. **Retries**: twice the payments of its capacity, over keep-alive connections, from clients that retry " +
    `${retries} times, with a random pause that doubles, when they are rejected with a retry hint: about six times the requests. It completes at least ${limits.kept.goodputMin * 100} % of its capacity, answers 99 % of the accepted requests within ${limits.kept.goodP99MsMax} ms and rejects 99 % of the rest within ${limits.kept.refusedP99MsMax} ms; every request gets a response, and the usual throughput is restored after at most ${recoverySecondsMax} s. The result for five times the payments from the same clients, about twenty times the requests, is reported without a limit, because the rejections and the load generator use both processors completely. ` +
    `**Greed**: one merchant sends ${greedyTimes} times its rate limit, while others send ${usualPerSecond} payments per second: all of these are accepted, and their 99th percentile is at most ${othersTimesMax} times that without the first merchant, as the median of ${greedyRounds} turns each. ` +
    `**A dead provider**: one of two is frozen, with ${deadPerSecond} payments per second for it; payments with the other are all accepted, with a 99th percentile of at most ${healthyTimesMax} times that before, and after at most ${breakerSecondsMax} s those for the dead one are rejected. ` +
    "Each part is measured alone. Callers and the process have priority over the database and the providers, and no worker runs. Tries are seconds of each part.",
  triesDefault: 60,
  async run({ tries: seconds, logProgress }) {
    const image = await buildImage();
    const host = await prepareHost(imageUser, true);
    try {
      const operate = newImageOperator(image, host);
      const counterparties = await openCounterparties(host, operate);
      try {
        const frozenProvider = await addProvider(host.folder, operate, {
          connector: "dead",
          methods: deadMethod,
        });
        for (const { clientId } of counterparties.merchants)
          await operate("merchant", "set", clientId, "--rate", "100000", "--burst", "100000");
        const serve = await startImage(image, host, "serve");
        try {
          await waitUntil(() => isReady(host.port), "the container to serve");
          return await measureOverloads({
            host,
            counterparties,
            frozenProvider,
            serve,
            seconds,
            operate,
            logProgress,
          });
        } finally {
          await frozenProvider.process.kill();
          await serve.stop(10);
        }
      } finally {
        await counterparties.stop();
      }
    } finally {
      await host.stop();
    }
  },
});

interface OverloadEnvironment {
  readonly host: PreparedHost;
  readonly counterparties: Counterparties;
  readonly frozenProvider: ProviderProcess;
  readonly serve: Container;
  readonly seconds: number;
  operate(...args: readonly string[]): Promise<string>;
  logProgress(line: string): void;
}

async function measureOverloads(environment: OverloadEnvironment): Promise<ProofResult> {
  const { host, counterparties, serve, seconds, logProgress } = environment;
  const servePid = Number(await podman("inspect", "--format", "{{.State.Pid}}", serve.id));
  const { merchants, privateKey } = counterparties;
  const { control } = counterparties.provider;
  const target = { port: host.port, servePid, merchants, privateKey, control, stop: async () => {} };
  const overloadRunner = await newOverloadRunner(target, retries);
  try {
    const { usesNewConnections: _, ...retriedFigures } = await overloadRunner.run(
      false,
      seconds,
      retriedTimes,
    );
    logProgress(`retries: ${JSON.stringify(retriedFigures)}`);
    const shortEnvironment = { ...environment, seconds: Math.min(60, seconds) };
    const { usesNewConnections: __, ...worstFigures } = await overloadRunner.run(
      false,
      shortEnvironment.seconds,
    );
    logProgress(`retries of five times the payments: ${JSON.stringify(worstFigures)}`);
    const greed = await measureGreed(overloadRunner, shortEnvironment);
    logProgress(`greed: ${JSON.stringify(greed.figures)}`);
    const frozenProvider = await measureDeadProvider(overloadRunner, shortEnvironment);
    logProgress(`a dead provider: ${JSON.stringify(frozenProvider.figures)}`);
    const namedFigures = [
      ...Object.entries(retriedFigures).map(([name, figure]) => [`retries_${name}`, figure] as const),
      ...Object.entries(worstFigures).map(
        ([name, figure]) => [`retries_of_5_times_${name}`, figure] as const,
      ),
    ];
    return {
      figures: { ...Object.fromEntries(namedFigures), ...greed.figures, ...frozenProvider.figures },
      misses: [
        ...findMisses({ usesNewConnections: false, ...retriedFigures }),
        ...greed.misses,
        ...frozenProvider.misses,
      ],
    };
  } finally {
    await overloadRunner.stop();
  }
}

/** Alternating turns with and without the excessive merchant, so that other load on the machine affects both. */
async function measureGreed(
  { call }: OverloadRunner,
  { counterparties, seconds, operate }: OverloadEnvironment,
): Promise<ProofResult> {
  const [greedy = "", ...others] = counterparties.merchants.map(({ clientId }) => clientId);
  const [rate, burst] = [String(greedyLimit), String(greedyLimit)];
  await operate("merchant", "set", greedy, "--rate", rate, "--burst", burst);
  await new Promise((resolve) => setTimeout(resolve, reloadMs));
  const roundSeconds = Math.ceil(seconds / greedyRounds);
  const othersLoad = {
    seconds: roundSeconds,
    usesNewConnections: false,
    perSecond: usualPerSecond,
    clientIds: others,
  };
  const [baselineP99Ms, contendedP99Ms]: [number[], number[]] = [[], []];
  let [notAccepted, greedyAccepted] = [0, 0];
  for (let round = 0; round < greedyRounds; round++) {
    baselineP99Ms.push(p99Of(await call(othersLoad)));
    const [afterFreeze, refused] = await Promise.all([
      call(othersLoad),
      call({ ...othersLoad, perSecond: greedyLimit * greedyTimes, clientIds: [greedy] }),
    ]);
    contendedP99Ms.push(p99Of(afterFreeze));
    notAccepted += countNotAccepted(afterFreeze);
    greedyAccepted += sum(refused.map(({ good }) => good));
  }
  const times = rounded(median(contendedP99Ms) / median(baselineP99Ms));
  // The excessive merchant may send its burst at the start of each turn, and then its rate.
  const acceptedMax = greedyLimit * (roundSeconds + 1) * greedyRounds;
  return {
    figures: {
      greed_others_p99_ms: `${baselineP99Ms.join(", ")} without it, ${contendedP99Ms.join(", ")} with it`,
      greed_others_times: times,
      greed_others_not_taken: notAccepted,
      greed_taken: `${greedyAccepted} of ${greedyLimit * greedyTimes * roundSeconds * greedyRounds}, may ${acceptedMax}`,
    },
    misses: [
      ...(times > othersTimesMax ? [`greed: others' 99th percentile is ${times} times that before`] : []),
      ...(notAccepted > 0 ? [`greed: ${notAccepted} payments of others were not accepted`] : []),
      ...(greedyAccepted > acceptedMax
        ? [`greed: ${greedyAccepted} of its payments were accepted, and the limit is ${acceptedMax}`]
        : []),
    ],
  };
}

/** Payments with a healthy provider, before and after another has frozen. */
async function measureDeadProvider(
  { call }: OverloadRunner,
  { counterparties, frozenProvider, seconds }: OverloadEnvironment,
): Promise<ProofResult> {
  const [, ...clientIds] = counterparties.merchants.map(({ clientId }) => clientId);
  const healthyLoad = { seconds, usesNewConnections: false, perSecond: usualPerSecond, clientIds };
  const frozenLoad = { ...healthyLoad, perSecond: deadPerSecond, paymentMethodType: deadMethod };
  const [beforeFreeze] = await Promise.all([call(healthyLoad), call(frozenLoad)]);
  frozenProvider.process.freeze();
  const [afterFreeze, refused] = await Promise.all([call(healthyLoad), call(frozenLoad)]);
  frozenProvider.process.thaw();
  const times = rounded(p99Of(afterFreeze) / p99Of(beforeFreeze));
  const notAccepted = countNotAccepted(afterFreeze);
  // The circuit breaker counts as open after the last second in which a payment was accepted or lost, because it then
  // rejects every payment.
  const openAfter = refused.findLastIndex(({ good, lost }) => good + lost > 0) + 1;
  return {
    figures: {
      dead_healthy_p99_ms: `${p99Of(beforeFreeze)} before, ${p99Of(afterFreeze)} next to it`,
      dead_healthy_times: times,
      dead_healthy_not_taken: notAccepted,
      dead_refused_after_seconds: openAfter,
      dead_refused: sum(refused.map(({ unavailable }) => unavailable)),
    },
    misses: [
      ...(times > healthyTimesMax ? [`dead: the other's 99th percentile is ${times} times that before`] : []),
      ...(notAccepted > 0 ? [`dead: ${notAccepted} payments with the other provider were not accepted`] : []),
      ...(openAfter > breakerSecondsMax ? [`dead: payments for it were accepted for ${openAfter} s`] : []),
    ],
  };
}

function p99Of(seconds: readonly Second[]): number {
  // The first second opens connections.
  return p99(seconds.slice(1).flatMap(({ goodMs }) => goodMs));
}

function countNotAccepted(seconds: readonly Second[]): number {
  return sum(seconds.map(({ refused, unavailable, lost }) => refused + unavailable + lost));
}

function rounded(figure: number): number {
  return Math.round(figure * 100) / 100;
}
