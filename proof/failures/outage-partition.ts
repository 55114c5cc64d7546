import { setTimeout as waitMs } from "node:timers/promises";
import { startLoad, type Load } from "./load.ts";
import { answeredWithinMs, brokenPromises, leftBehind, type Outage } from "./outage.ts";
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
export async function cutOneFromTheDatabase(say: (line: string) => void): Promise<Outage> {
  const trial = await openTrial();
  try {
    const { lines } = trial.installation;
    const [cut, other] = [0, 1].map((serve) => startLoad(trial, `door-${serve}`, paymentsPerSecond, serve));
    if (!cut || !other) throw new Error("There are two processes.");
    await waitMs(calmMs);
    const cutAtMs = trial.nowMs();
    const usual = perSecond(other, cutAtMs - calmMs / 2, cutAtMs);
    lines.servesToDatabase[0]?.fail({ kind: "black-hole" });
    say("serve 1 is cut off");
    await waitMs(cutForMs);
    const healedAtMs = trial.nowMs();
    lines.servesToDatabase[0]?.heal();
    say("serve 1 reaches its database again");
    const meanwhile = perSecond(other, cutAtMs, healedAtMs);
    const backMs = (await cut.firstAcceptedAfter(healedAtMs)) - healedAtMs;
    await waitMs(Math.max(0, afterwardsMs - backMs));
    await Promise.all([cut.stop(), other.stop()]);
    const left = await leftBehind(trial);
    const goodput = meanwhile / usual;
    return {
      name: "one process cut off from its database",
      figures: {
        cut_for_s: cutForMs / 1_000,
        told_by_the_cut_one: cut.toldBetween(cutAtMs + answeredWithinMs, healedAtMs) || "nothing",
        usual_payments_per_second_of_the_other: usual.toFixed(1),
        goodput_of_the_other_percent: Math.round(goodput * 100),
        first_payment_after_ms: Math.round(backMs),
      },
      misses: [
        ...(await brokenPromises(trial, { fromMs: cutAtMs, untilMs: healedAtMs })),
        ...(goodput < goodputShareMin
          ? [`The other process accepted only ${Math.round(goodput * 100)} % of its usual rate.`]
          : []),
        ...(backMs > backWithinMs ? [`Recovery took ${Math.round(backMs)} ms.`] : []),
        ...refusedBy(cut, cutAtMs, healedAtMs),
        ...left,
      ],
    };
  } finally {
    await trial.stop();
  }
}

/** A process without its database must not reject a payment finally, because it does not know the state. */
function refusedBy(load: Load, fromMs: number, untilMs: number): readonly string[] {
  const told = load.toldBetween(fromMs, untilMs).split(", ");
  const honest = /^(?:UNKNOWN_EXCEPTION|PAYMENT_IN_PROCESS|REQUEST_TRAFFIC_EXCEED_LIMIT|SUCCESS)? ?\d*$/;
  return told.filter((each) => !honest.test(each)).map((each) => `Without its database it answered ${each}.`);
}

function perSecond(load: Load, fromMs: number, untilMs: number): number {
  return load.acceptedBetween(fromMs, untilMs) / ((untilMs - fromMs) / 1_000);
}
