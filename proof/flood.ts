import type { MerchantReport } from "./overload/flood-merchant.ts";
import type { Flood } from "./overload/flood-unauthenticated.ts";
import { startFloods, type Round } from "./overload/floods.ts";
import { runProof } from "./reports/run-proof.ts";

const perSecond = 1_000;
const memoryMoreMbMax = 100;
/**
 * Memory limit in MB for floods that get responses. V8's young generation grows to its maximum at thousands of
 * responses per second, also to valid requests.
 */
const memoryMoreMbMaxAnswered = 150;
const signaturesPerSecondMax = 25;
/** Burst of the token bucket: an address may have this many signatures before its rate limit applies. */
const signaturesAtOnce = 20;
const timesRestMax = 5;
const timesControlMax = 1.5;
const heads = "| flood | answers/s | signed/s | served | refused | median ms | p95 ms | MB more |";

await runProof({
  name: "flood",
  claim:
    "An unauthenticated client, a merchant, and the gateway are separate processes with separate addresses. The unauthenticated client floods " +
    "in seven ways, two of them also without being disconnected: first with 40 connections and 100 pipelined requests on each, at maximum rate; then with " +
    "1,000 requests per second, compared with the same number of harmless requests. During the flood at maximum rate, no inquiry of the " +
    `merchant is rejected, the process grows by no more than ${memoryMoreMbMax} MB by any one flood (${memoryMoreMbMaxAnswered} when it is answered), and no more than ${signaturesPerSecondMax} signatures per second are spent on ` +
    `the unauthenticated client. At the fixed rate the merchant's p95 is at most ${timesRestMax} times the p95 without load, and ${timesControlMax} times the p95 under harmless ` +
    "requests; a pair that misses a goal is measured once more. The unauthenticated client counts signatures on its responses. Tries are seconds of each round.",
  triesDefault: 20,
  async run({ tries: seconds, say }) {
    const floods = await startFloods();
    const misses: string[] = [];
    const rest = await floods.rest(seconds);
    say(`at rest: ${rest.served} served, p95 ${rest.p95Ms} ms`);
    const fast: Round[] = [];
    for (const flood of floods.all) {
      const round = await floods.asFastAsAnswered(flood, seconds);
      say(lineOf(round));
      fast.push(round);
      const { merchant, attacker, memoryMoreMb } = round;
      const signedPerSecond = (attacker.signed - signaturesAtOnce) / round.seconds;
      if (merchant.refused + merchant.unanswered > 0 || merchant.served === 0)
        misses.push(
          `${flood.name}: ${merchant.refused} refused, ${merchant.unanswered} unanswered, ${merchant.served} served`,
        );
      const mbMax = flood.pipelined ? memoryMoreMbMaxAnswered : memoryMoreMbMax;
      if (memoryMoreMb > mbMax) misses.push(`${flood.name}: ${memoryMoreMb} MB more`);
      if (signedPerSecond > signaturesPerSecondMax)
        misses.push(`${flood.name}: ${signedPerSecond} signatures per second`);
    }
    const steady: Pair[] = [];
    const atRate = (flood: Flood): Promise<Round> => floods.atRate(flood, seconds, perSecond);
    const controls = { kept: await atRate(floods.control), fresh: await atRate(floods.freshControl) };
    for (const flood of floods.all) {
      const first: Pair = {
        control: flood.isFresh ? controls.fresh : controls.kept,
        round: await atRate(flood),
      };
      // `again` repeats a failed measurement of the control and of the flood, because other load on a shared machine
      // can slow down one round by chance.
      const again = async (): Promise<Pair> => ({
        control: await atRate(flood.isFresh ? floods.freshControl : floods.control),
        round: await atRate(flood),
      });
      const last = missesOf(first, rest).length > 0 ? await again() : first;
      say(`${lineOf(last.round)}, ${last.control.merchant.p95Ms} ms under /livez`);
      steady.push(last);
      misses.push(...missesOf(last, rest));
    }
    await floods.stop();
    const rows = (rounds: readonly Round[]): readonly string[] => [
      heads,
      "| --- | --: | --: | --: | --: | --: | --: | --: |",
      ...rounds.map(rowOf),
    ];
    return {
      figures: {
        rest_p95_ms: rest.p95Ms,
        refused: fast.reduce((all, { merchant }) => all + merchant.refused, 0),
        memory_more_mb: Math.max(...fast.map(({ memoryMoreMb }) => memoryMoreMb)),
        memory_more_in_all_mb: Math.max(...fast.map(({ memoryMoreInAllMb }) => memoryMoreInAllMb)),
        signatures_per_second: Math.max(
          ...fast.map(({ attacker, seconds: s }) => Math.round((attacker.signed / s) * 10) / 10),
        ),
        worst_p95_ms: Math.max(...steady.map(({ round }) => round.merchant.p95Ms)),
      },
      misses,
      details: [
        "At maximum rate:",
        "",
        ...rows(fast),
        "",
        `At ${perSecond} a second:`,
        "",
        ...rows(steady.flatMap(({ control, round }) => [control, round])),
      ],
    };
  },
});

/** A flood, and the same number of harmless requests. */
interface Pair {
  readonly control: Round;
  readonly round: Round;
}

function missesOf({ control, round }: Pair, rest: MerchantReport): readonly string[] {
  const { p95Ms } = round.merchant;
  const calmMs = control.merchant.p95Ms;
  return [
    ...(p95Ms > timesRestMax * rest.p95Ms
      ? [`${round.flood}: p95 ${p95Ms} ms, ${rest.p95Ms} ms without load`]
      : []),
    ...(p95Ms > timesControlMax * calmMs
      ? [`${round.flood}: p95 ${p95Ms} ms, ${calmMs} ms under /livez`]
      : []),
  ];
}

function rowOf({ flood, merchant, attacker, seconds, memoryMoreMb }: Round): string {
  const perSecondOf = (count: number): string => (count / seconds).toFixed(count < 1_000 ? 1 : 0);
  const { served, refused, unanswered, medianMs, p95Ms } = merchant;
  const cells = [
    flood,
    perSecondOf(attacker.answers),
    perSecondOf(attacker.signed),
    served,
    refused + unanswered,
    medianMs,
    p95Ms,
    memoryMoreMb,
  ];
  return `| ${cells.join(" | ")} |`;
}

function lineOf(round: Round): string {
  return rowOf(round).replaceAll("|", "").trim();
}
