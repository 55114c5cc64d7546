import type { MerchantReport } from "./overload/flood-merchant.ts";
import type { Flood } from "./overload/flood-unauthenticated.ts";
import { startFloodRunner, type Round } from "./overload/flood-runner.ts";
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
const tableHead = "| flood | answers/s | signed/s | served | refused | median ms | p95 ms | MB more |";

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
  async run({ tries: seconds, logProgress }) {
    const runner = await startFloodRunner();
    const misses: string[] = [];
    const baseline = await runner.measureBaseline(seconds);
    logProgress(`at rest: ${baseline.served} served, p95 ${baseline.p95Ms} ms`);
    const closedLoopRounds: Round[] = [];
    for (const flood of runner.all) {
      const round = await runner.runClosedLoop(flood, seconds);
      logProgress(formatLine(round));
      closedLoopRounds.push(round);
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
    const fixedRatePairs: Pair[] = [];
    const measure = (flood: Flood): Promise<Round> => runner.runAtRate(flood, seconds, perSecond);
    const controls = { keepAlive: await measure(runner.control), fresh: await measure(runner.freshControl) };
    for (const flood of runner.all) {
      const firstPair: Pair = {
        control: flood.usesNewConnections ? controls.fresh : controls.keepAlive,
        round: await measure(flood),
      };
      // `remeasure` repeats a failed measurement of the control and of the flood, because other load on a shared
      // machine can slow down one round by chance.
      const remeasure = async (): Promise<Pair> => ({
        control: await measure(flood.usesNewConnections ? runner.freshControl : runner.control),
        round: await measure(flood),
      });
      const finalPair = findMisses(firstPair, baseline).length > 0 ? await remeasure() : firstPair;
      logProgress(`${formatLine(finalPair.round)}, ${finalPair.control.merchant.p95Ms} ms under /livez`);
      fixedRatePairs.push(finalPair);
      misses.push(...findMisses(finalPair, baseline));
    }
    await runner.stop();
    const rows = (rounds: readonly Round[]): readonly string[] => [
      tableHead,
      "| --- | --: | --: | --: | --: | --: | --: | --: |",
      ...rounds.map(formatRow),
    ];
    return {
      figures: {
        rest_p95_ms: baseline.p95Ms,
        refused: closedLoopRounds.reduce((all, { merchant }) => all + merchant.refused, 0),
        memory_more_mb: Math.max(...closedLoopRounds.map(({ memoryMoreMb }) => memoryMoreMb)),
        memory_more_in_all_mb: Math.max(
          ...closedLoopRounds.map(({ memoryMoreInAllMb }) => memoryMoreInAllMb),
        ),
        signatures_per_second: Math.max(
          ...closedLoopRounds.map(({ attacker, seconds: s }) => Math.round((attacker.signed / s) * 10) / 10),
        ),
        worst_p95_ms: Math.max(...fixedRatePairs.map(({ round }) => round.merchant.p95Ms)),
      },
      misses,
      details: [
        "At maximum rate:",
        "",
        ...rows(closedLoopRounds),
        "",
        `At ${perSecond} a second:`,
        "",
        ...rows(fixedRatePairs.flatMap(({ control, round }) => [control, round])),
      ],
    };
  },
});

/** A flood, and the same number of harmless requests. */
interface Pair {
  readonly control: Round;
  readonly round: Round;
}

function findMisses({ control, round }: Pair, baseline: MerchantReport): readonly string[] {
  const { p95Ms } = round.merchant;
  const controlP95Ms = control.merchant.p95Ms;
  return [
    ...(p95Ms > timesRestMax * baseline.p95Ms
      ? [`${round.flood}: p95 ${p95Ms} ms, ${baseline.p95Ms} ms without load`]
      : []),
    ...(p95Ms > timesControlMax * controlP95Ms
      ? [`${round.flood}: p95 ${p95Ms} ms, ${controlP95Ms} ms under /livez`]
      : []),
  ];
}

function formatRow({ flood, merchant, attacker, seconds, memoryMoreMb }: Round): string {
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

function formatLine(round: Round): string {
  return formatRow(round).replaceAll("|", "").trim();
}
