import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Extent } from "./extent.ts";
import { startMeasuredGateway, type MeasuredGateway } from "./measured-gateway.ts";
import { medianOfNumbers, formatTable } from "./report.ts";

/** Old and new in one round. Times are CPU µs per operation; a ratio is new divided by old, so lower is better. */
interface Round {
  readonly acceptOldUs: number;
  readonly acceptNewUs: number;
  readonly acceptRatio: number;
  readonly wholeOldUs: number;
  readonly wholeNewUs: number;
  readonly wholeRatio: number;
  readonly inquiryOldUs: number;
  readonly inquiryNewUs: number;
  readonly inquiryRatio: number;
  readonly p50OldMs: number;
  readonly p50NewMs: number;
  readonly p99OldMs: number;
  readonly p99NewMs: number;
}

const columns = [
  ["accept: old", "acceptOldUs", 0],
  ["new", "acceptNewUs", 0],
  ["ratio", "acceptRatio", 2],
  ["whole: old", "wholeOldUs", 0],
  ["new", "wholeNewUs", 0],
  ["ratio", "wholeRatio", 2],
  ["inquiry: old", "inquiryOldUs", 0],
  ["new", "inquiryNewUs", 0],
  ["ratio", "inquiryRatio", 2],
  ["p50 ms: old", "p50OldMs", 1],
  ["new", "p50NewMs", 1],
  ["p99 ms: old", "p99OldMs", 1],
  ["new", "p99NewMs", 1],
] as const;

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * The other side of the comparison: another revision of the gateway, or this revision with a part removed by `change`.
 */
export interface ComparedRevision {
  readonly name: string;
  readonly revision: string;
  readonly change?: (folder: string) => void;
}

/**
 * `compareWith` measures another revision's gateway and provider alternately with this tree's, under this tree's load,
 * in one run of about an hour.
 */
export async function compareWith(
  { name, revision, change }: ComparedRevision,
  extent: Extent,
  print: (text: string) => void,
): Promise<void> {
  // The compile cache is off: it could contain only this tree's code, which would make this tree's start faster.
  process.env["NODE_DISABLE_COMPILE_CACHE"] = "1";
  const { folder, remove } = checkOut(revision);
  change?.(folder);
  const started: MeasuredGateway[] = [];
  try {
    const old = await startMeasuredGateway({ tree: folder });
    started.push(old);
    const now = await startMeasuredGateway();
    started.push(now);
    for (const gateway of [old, now, old, now])
      await gateway.warmUp(extent.warmUpMs / 2, extent.payments / 2);
    const { perSecond } = await old.pay(extent.payments);
    const rate = Math.max(1, Math.round(perSecond / 2));
    const rounds: Round[] = [];
    while (rounds.length < extent.rounds)
      rounds.push(await measureRound(old, now, { ...extent, rate, isNewFirst: rounds.length % 2 === 1 }));
    print(formatTable(`${name} and this tree, CPU µs`, columns, rounds));
    print(`p50 and p99: pay in an open loop, ${rate}/s, half of the old one's rate in a closed loop`);
    print(lastLine(rounds));
  } finally {
    for (const gateway of started) await gateway.stop();
    remove();
  }
}

interface RoundExtent extends Extent {
  readonly rate: number;
  /** The sides alternate in going first, so that drift within a round favours neither. */
  readonly isNewFirst: boolean;
}

async function measureRound(old: MeasuredGateway, now: MeasuredGateway, extent: RoundExtent): Promise<Round> {
  const measureBoth = async <Figure>(
    measure: (gateway: MeasuredGateway) => Promise<Figure>,
  ): Promise<readonly [Figure, Figure]> => {
    if (!extent.isNewFirst) return [await measure(old), await measure(now)];
    const newFigure = await measure(now);
    return [await measure(old), newFigure];
  };
  const [payOld, payNew] = await measureBoth((gateway) => gateway.pay(extent.payments));
  const [inquiryOld, inquiryNew] = await measureBoth((gateway) => gateway.inquire(extent.inquiryMs));
  const [latencyOld, latencyNew] = await measureBoth((gateway) =>
    gateway.latency(extent.rate, extent.latencySeconds),
  );
  return {
    acceptOldUs: payOld.acceptUs,
    acceptNewUs: payNew.acceptUs,
    acceptRatio: payNew.acceptUs / payOld.acceptUs,
    wholeOldUs: payOld.wholeUs,
    wholeNewUs: payNew.wholeUs,
    wholeRatio: payNew.wholeUs / payOld.wholeUs,
    inquiryOldUs: inquiryOld.allUs,
    inquiryNewUs: inquiryNew.allUs,
    inquiryRatio: inquiryNew.allUs / inquiryOld.allUs,
    p50OldMs: latencyOld.p50Ms,
    p50NewMs: latencyNew.p50Ms,
    p99OldMs: latencyOld.p99Ms,
    p99NewMs: latencyNew.p99Ms,
  };
}

function lastLine(rounds: readonly Round[]): string {
  const medianText = (key: keyof Round, decimals: number): string =>
    medianOfNumbers(rounds.map((round) => round[key])).toFixed(decimals);
  const figures = {
    accept: medianText("acceptRatio", 2),
    whole: medianText("wholeRatio", 2),
    inquiry: medianText("inquiryRatio", 2),
    p50_old_ms: medianText("p50OldMs", 1),
    p50_new_ms: medianText("p50NewMs", 1),
    p99_old_ms: medianText("p99OldMs", 1),
    p99_new_ms: medianText("p99NewMs", 1),
    load: loadavg()[0]?.toFixed(2),
  };
  return `against: ${Object.entries(figures)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")}`;
}

/** A temporary checkout of a revision. It shares this tree's dependencies. */
function checkOut(revision: string): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-against-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once("exit", remove);
  const packed = execFileSync("git", ["archive", "--format=tar", revision], {
    cwd: root,
    maxBuffer: 2 ** 30,
    stdio: ["ignore", "pipe", "inherit"],
  });
  execFileSync("tar", ["-x", "-C", folder], { input: packed });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return {
    folder,
    remove() {
      process.off("exit", remove);
      remove();
    },
  };
}
