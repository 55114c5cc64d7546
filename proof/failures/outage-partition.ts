import { setTimeout as waitMs } from "node:timers/promises";
import { startLoad, type Load } from "./open-loop-load.ts";
import { answeredWithinMs, findOutageViolations, findStuckRecords, type Outage } from "./outage.ts";
import { openTrial } from "../trial/trial.ts";

const paymentsPerSecond = 15;
const calmMs = 6_000;
const cutForMs = 30_000;
const afterwardsMs = 12_000;
const backWithinMs = 10_000;
/**
 * The connected process must keep this share of its usual goodput. The share is below 1, because the disconnected
 * process uses CPU time of the same machine for reconnection attempts.
 */
const goodputShareMin = 0.85;

/**
 * Network partition: one of two serving processes does not reach its database for half a minute, without any connection
 * reset.
 */
export async function partitionOneProcess(logProgress: (line: string) => void): Promise<Outage> {
  const trial = await openTrial();
  try {
    const { proxies } = trial.installation;
    const [disconnected, connected] = [0, 1].map((serve) =>
      startLoad(trial, `door-${serve}`, paymentsPerSecond, serve),
    );
    if (!disconnected || !connected) throw new Error("There are two processes.");
    await waitMs(calmMs);
    const cutAtMs = trial.nowMs();
    const usualRate = perSecond(connected, cutAtMs - calmMs / 2, cutAtMs);
    proxies.servesToDatabase[0]?.fail({ kind: "black-hole" });
    logProgress("serve 1 is cut off");
    await waitMs(cutForMs);
    const healedAtMs = trial.nowMs();
    proxies.servesToDatabase[0]?.heal();
    logProgress("serve 1 reaches its database again");
    const partitionRate = perSecond(connected, cutAtMs, healedAtMs);
    const backMs = (await disconnected.firstAcceptedAfter(healedAtMs)) - healedAtMs;
    await waitMs(Math.max(0, afterwardsMs - backMs));
    await Promise.all([disconnected.stop(), connected.stop()]);
    const stuckRecords = await findStuckRecords(trial);
    const goodput = partitionRate / usualRate;
    return {
      name: "one process cut off from its database",
      figures: {
        cut_for_s: cutForMs / 1_000,
        told_by_the_cut_one:
          disconnected.resultCodesBetween(cutAtMs + answeredWithinMs, healedAtMs) || "nothing",
        usual_payments_per_second_of_the_other: usualRate.toFixed(1),
        goodput_of_the_other_percent: Math.round(goodput * 100),
        first_payment_after_ms: Math.round(backMs),
      },
      misses: [
        ...(await findOutageViolations(trial, { fromMs: cutAtMs, untilMs: healedAtMs })),
        ...(goodput < goodputShareMin
          ? [`The other process accepted only ${Math.round(goodput * 100)} % of its usual rate.`]
          : []),
        ...(backMs > backWithinMs ? [`Recovery took ${Math.round(backMs)} ms.`] : []),
        ...findFinalRejections(disconnected, cutAtMs, healedAtMs),
        ...stuckRecords,
      ],
    };
  } finally {
    await trial.stop();
  }
}

/** A process without its database must not reject a payment finally, because it does not know the state. */
function findFinalRejections(load: Load, fromMs: number, untilMs: number): readonly string[] {
  const resultCodes = load.resultCodesBetween(fromMs, untilMs).split(", ");
  const allowedResults =
    /^(?:UNKNOWN_EXCEPTION|PAYMENT_IN_PROCESS|REQUEST_TRAFFIC_EXCEED_LIMIT|SUCCESS)? ?\d*$/;
  return resultCodes
    .filter((each) => !allowedResults.test(each))
    .map((each) => `Without its database it answered ${each}.`);
}

function perSecond(load: Load, fromMs: number, untilMs: number): number {
  return load.acceptedBetween(fromMs, untilMs) / ((untilMs - fromMs) / 1_000);
}
