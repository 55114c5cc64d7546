import {
  limits,
  findMisses,
  recoverySecondsMax,
  startOverloadRunner,
  type Overload,
} from "./overload/overload-runner.ts";
import { runProof } from "./reports/run-proof.ts";

await runProof({
  name: "overload",
  claim:
    "One process gets five times the payments of its capacity in an open loop, first over keep-alive connections " +
    "and then over a new one for each; the provider responds in 20 ms. It completes at least " +
    `${limits.kept.goodputMin * 100} % of its capacity (new connections: ${limits.fresh.goodputMin * 100} %, because thousands per second must be accepted and rejected). Of the accepted requests, 99 % are answered within ${limits.kept.goodP99MsMax} ms (new connections: ${limits.fresh.goodP99MsMax} ms), and of the rest ` +
    `99 % are rejected with a retry hint within ${limits.kept.refusedP99MsMax} ms (${limits.fresh.refusedP99MsMax} ms), both from the scheduled time of a request; every request gets a response, ` +
    `and ${recoverySecondsMax} s later at most the usual throughput is restored. Callers and the process have priority over the database and the provider, ` +
    "with which they share two processors here. No worker runs, because after half a minute it would poll each payment, " +
    "and the capacity would depend on the time of the measurement. Tries are seconds.",
  triesDefault: 60,
  async run({ tries: seconds, logProgress }) {
    const overloadRunner = await startOverloadRunner(true);
    const rounds: Overload[] = [];
    for (const usesNewConnections of [false, true]) {
      rounds.push(await overloadRunner.run(usesNewConnections, seconds));
      logProgress(JSON.stringify(rounds.at(-1)));
    }
    await overloadRunner.stop();
    const figures = Object.fromEntries(
      rounds.flatMap(({ usesNewConnections, ...round }) =>
        Object.entries(round).map(
          ([name, figure]) => [`${usesNewConnections ? "new" : "kept"}_${name}`, figure] as const,
        ),
      ),
    );
    return { figures, misses: rounds.flatMap(findMisses) };
  },
});
