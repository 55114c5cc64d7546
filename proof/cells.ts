import { setTimeout as waitMs } from "node:timers/promises";
import { startFleet, type CellFleet, type Homes } from "./cells/cell-fleet.ts";
import { waitUntilAllFinal } from "./cells/wait-until-final.ts";
import { freezeCell, type FrozenCellLatency } from "./cells/frozen-cell.ts";
import { reconcileFleet, type FleetReconciliation } from "./cells/fleet-reconciliation.ts";
import { moverSteps, moveWithKills, type MerchantMove } from "./cells/cell-moves.ts";
import { payOutFleet, type FleetPayouts } from "./cells/cell-payouts.ts";
import { testPartition, type PartitionOutcome } from "./cells/cell-regions.ts";
import { coresPerCell, measureScale, type Scale, type ScaleOptions } from "./cells/cell-scale.ts";
import { openSellingShop, type SellingShop } from "./cells/cell-shops.ts";
import { loseCell, type LostCellOutcome } from "./cells/lost-cell.ts";
import { median } from "./reports/statistics.ts";
import { checkFleet, type FleetFindings } from "./cells/check-fleet.ts";
import { runProof, type ProofOptions, type ProofResult } from "./reports/run-proof.ts";
import { waitUntil } from "./trial/test-environment.ts";

interface Size {
  readonly merchants: number;
  readonly moves: number;
  /** The steps at which movers are killed. */
  readonly kills: readonly string[];
  /** Mean time between two orders of one merchant. */
  readonly gapMs: number;
  readonly scale: ScaleOptions;
  readonly frozen: { readonly times: number; readonly forMs: number };
}

const sizes: { readonly full: Size; readonly smoke: Size } = {
  full: {
    merchants: 60,
    moves: 20,
    kills: moverSteps,
    gapMs: 2_000,
    scale: { rounds: 3, seconds: 12, warmSeconds: 8, atOnce: 12 },
    frozen: { times: 3, forMs: 8_000 },
  },
  smoke: {
    merchants: 12,
    moves: 3,
    kills: ["fence", "finish", "leave"],
    gapMs: 600,
    scale: { rounds: 1, seconds: 3, warmSeconds: 2, atOnce: 8 },
    frozen: { times: 1, forMs: 2_500 },
  },
};

/** Performance goals that a busy machine may miss: they are reported, but do not fail CI. */
const goals = { scaleMin: 2.5, costRatioMax: 1.1, frozenRatioMax: 1.2, pauseMsMax: 1_000 };

// The limit of event listeners is off: each of the many processes has an exit handler that ends it with this program.
process.setMaxListeners(100);

await runProof({
  name: "cells",
  claim:
    "Three installations, each with a PostgreSQL server of its own, behind one HAProxy with the files of `tollgate cells edge`. Merchants sell through it (orders, approvals, refunds, cancels, the feed) while some of them are moved with `tollgate merchant move`. " +
    "For some of them the command is killed with SIGKILL at the start of each of its steps, and run again. The directory is not updated meanwhile. By the cells' own logs, only the merchant's home cell answers its requests; by the provider's log, no acknowledged change is lost and no money moves twice; " +
    "every feed is 1, 2, 3 without a gap; the rows and ledger that remain in the old cell are equal to those in the new cell. Then two cells pay their merchants from one bank account, one merchant moves between the file and the bank's statement, and every cell imports its own payouts: each is paid once, and the ledgers of the fleet agree with the bank. Before that, the proof measures the throughput of three cells compared with one, each limited to " +
    `${coresPerCell} of a core, and the latency of merchants in the other cells while all processes of one cell are frozen. Then two regions as network namespaces, with a cell and an edge each and 80 ms between them: the firewall separates them for 15 s, and merchants call through the ` +
    "other region's host. Each call is answered `U` within a second or served correctly, and calls are served again without manual action. Finally a cell is lost permanently: its asynchronous standby, which was disconnected during the load, is promoted " +
    "in its place, and `reconcile --all-cells` lists exactly the missing movements against the provider's file, to the cent.",
  triesDefault: 20,
  lastLine: ["moved", "lost", "doubled", "wrong", "pause_ms", "scale"],
  run,
});

async function run(options: ProofOptions): Promise<ProofResult> {
  // The command's arguments name the parts of the proof to run, so that a developer can debug one part alone.
  const isSelected = (section: string): boolean =>
    options.args.length === 0 || options.args.includes(section);
  const fleet = isSelected("moves") ? await runFleet(options) : undefined;
  const regions =
    !options.isSmoke && isSelected("regions") ? await testPartition(options.logProgress) : undefined;
  if (regions)
    options.logProgress(
      `${regions.cutCalls} calls during the partition, the slowest ${Math.round(regions.cutSlowestMs)} ms; served again ${Math.round(regions.healedAfterMs)} ms after its end`,
    );
  const lost = !options.isSmoke && isSelected("lost") ? await loseCell(options.logProgress) : undefined;
  if (lost)
    options.logProgress(
      `a cell lost: ${lost.missing} of ${lost.movements} movements, ${lost.missingMinor} cents; listed ${lost.listed}, ${lost.listedMinor} cents`,
    );
  const fleetResult = fleet ?? { figures: {}, misses: [] };
  const otherResults = [regions && buildPartitionResult(regions), lost && buildLostCellResult(lost)].filter(
    (each) => each !== undefined,
  );
  return {
    ...fleetResult,
    figures: Object.assign(
      {},
      fleetResult.figures,
      ...otherResults.map(({ figures }) => figures),
    ) as ProofResult["figures"],
    misses: [fleetResult, ...otherResults].flatMap(({ misses }) => misses),
  };
}

async function runFleet({ isSmoke, tries, logProgress }: ProofOptions): Promise<ProofResult> {
  const size = isSmoke ? sizes.smoke : { ...sizes.full, moves: tries };
  const fleet = await startFleet(size.merchants, logProgress);
  try {
    logProgress("merchants call");
    const scale = await measureScale(fleet, size.scale, logProgress);
    const shops = fleet.merchants.map((merchant) => openSellingShop(fleet, merchant, size.gapMs));
    await waitUntil(async () => shops.every((shop) => shop.soldCount() > 0), "every shop to sell", 60_000);
    const frozen = await freezeCell(fleet, size.frozen);
    logProgress(
      `one cell frozen: p99 of the others ${frozen.calmP99Ms.toFixed(0)} ms before, then ${frozen.frozenP99Ms.toFixed(0)} ms`,
    );
    const moves = await moveMerchants(fleet, size, logProgress);
    await waitMs(isSmoke ? 1_000 : 5_000);
    await Promise.all(shops.map((shop) => shop.close()));
    await waitUntilAllFinal(fleet, moves);
    await Promise.all(shops.map((shop) => shop.readRest()));
    logProgress("all orders are complete");
    const findings = await checkFleet(fleet, shops, moves, frozen);
    const reconciliation = await reconcileFleet(fleet);
    logProgress(
      `${reconciliation.matched} movements agree with the provider's file, ${reconciliation.breaks.length} do not`,
    );
    const startedMs = performance.now();
    const payouts = await payOutFleet(fleet, moves);
    const tookSeconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    logProgress(
      `${payouts.paid} payouts by one bank for two cells, ${payouts.wrong.length} wrong, in ${tookSeconds} s`,
    );
    const routingMisses = await publishHomes(fleet, [...moves, payouts.move]);
    return buildFleetResult({
      scale,
      frozen,
      moves,
      shops,
      findings,
      reconciliation,
      payouts,
      routingMisses,
    });
  } finally {
    await fleet.stop();
  }
}

/**
 * `moveMerchants` moves merchants, and kills the mover for every third merchant: usually at one step, and for one
 * merchant at all steps.
 */
async function moveMerchants(
  fleet: CellFleet,
  { moves: count, kills: steps }: Size,
  logProgress: (line: string) => void,
): Promise<readonly MerchantMove[]> {
  const moves: MerchantMove[] = [];
  const killPlans = [[...steps], ...steps.map((step) => [step])];
  for (const [index, merchant] of fleet.merchants.slice(0, count).entries()) {
    const otherCells = fleet.cells.filter(({ name }) => name !== merchant.cell);
    const to = otherCells[index % otherCells.length];
    if (!to) throw new Error("There is no other cell.");
    const kills = index % 3 === 1 || index >= count - 2 ? (killPlans.shift() ?? []) : [];
    const move = await moveWithKills(fleet, merchant, to, kills);
    moves.push(move);
    const killed = move.killedAt.length > 0 ? `, killed at ${move.killedAt.join(", ")}` : "";
    logProgress(
      `${merchant.clientId}: ${move.from} to ${move.to}, ${move.rows} rows, pause ${move.pauseMs ?? "?"} ms${killed}`,
    );
  }
  return moves;
}

/** Finally the directory is published: the edge routes directly to the new homes, and no cell forwards. */
async function publishHomes(fleet: CellFleet, moves: readonly MerchantMove[]): Promise<readonly string[]> {
  const homes: Homes = Object.fromEntries(
    moves.map(({ merchant, to, epoch }) => [merchant.clientId, { cell: to, epoch }]),
  );
  await fleet.directory.publish(fleet.cells, homes);
  await fleet.edge.reload();
  // Each merchant's old home is frozen, so only an edge that routes directly to the new home gets a response.
  const misses: string[] = [];
  await waitMs(1_500);
  const caller = fleet.newCaller();
  for (const { merchant, from } of moves.slice(0, 3)) {
    await fleet.cell(from).freeze();
    const body = { paymentRequestId: "order-1" };
    const inquiry = { verb: "inquiryPayment", merchant, requestId: "order-1", body } as const;
    await waitUntil(
      async () => (await caller.call({ ...inquiry, port: fleet.edge.port }))?.recordStatus !== undefined,
      `${merchant.clientId} to be routed directly to its home`,
    ).catch(({ message }: Error) => misses.push(message));
    await fleet.cell(from).thaw();
  }
  caller.close();
  return misses;
}

function buildPartitionResult(outcome: PartitionOutcome): ProofResult {
  const ms = (value: number): number => Math.round(value);
  return {
    figures: {
      regions_calls: outcome.calls,
      regions_across_ms: ms(outcome.acrossMs),
      regions_cut_calls: outcome.cutCalls,
      regions_cut_slowest_answer_ms: ms(outcome.cutSlowestMs),
      regions_cut_slowest_at_home_ms: ms(outcome.homeSlowestMs),
      regions_healed_after_ms: ms(outcome.healedAfterMs),
    },
    misses: outcome.misses.map((miss) => `regions: ${miss}`),
  };
}

function buildLostCellResult(outcome: LostCellOutcome): ProofResult {
  return {
    figures: {
      lost_cell_movements: outcome.movements,
      lost_cell_missing: `${outcome.missing}, ${outcome.missingMinor} cents`,
      lost_cell_listed: `${outcome.listed}, ${outcome.listedMinor} cents`,
      lost_cell_back_after_ms: Math.round(outcome.backAfterMs),
    },
    misses: outcome.misses.map((miss) => `a lost cell: ${miss}`),
  };
}

interface FleetOutcome {
  readonly scale: Scale;
  readonly frozen: FrozenCellLatency;
  readonly moves: readonly MerchantMove[];
  readonly shops: readonly SellingShop[];
  readonly findings: FleetFindings;
  readonly reconciliation: FleetReconciliation;
  readonly payouts: FleetPayouts;
  readonly routingMisses: readonly string[];
}

function buildFleetResult({
  scale,
  frozen,
  moves,
  shops,
  findings,
  reconciliation,
  payouts,
  routingMisses,
}: FleetOutcome): ProofResult {
  const { lost, doubled, other } = findings;
  const wrong = [...findings.wrong, ...payouts.wrong];
  const pauses = moves.flatMap(({ pauseMs }) => (pauseMs === undefined ? [] : [pauseMs]));
  const longestWaits = moves.map((move) => longestWaitMs(move, shops));
  const costRatio = scale.threeCostUs / scale.oneCostUs;
  const missedGoals = [
    scale.scale < goals.scaleMin && `scale below ${goals.scaleMin}`,
    costRatio > goals.costRatioMax && `cost per payment more than ${goals.costRatioMax} times`,
    frozen.ratio > goals.frozenRatioMax && `p99 with a frozen cell above ${goals.frozenRatioMax} times`,
    Math.max(...pauses) > goals.pauseMsMax && `a pause above ${goals.pauseMsMax} ms`,
  ].filter((goal) => goal !== false);
  return {
    figures: {
      merchants: shops.length,
      payments: findings.payments,
      calls_served: findings.servedCalls,
      moved: moves.length,
      movers_killed: moves.reduce((sum, { killedAt }) => sum + killedAt.length, 0),
      lost: lost.length,
      doubled: doubled.length,
      wrong: wrong.length,
      breaks_of_all_cells: reconciliation.breaks.length,
      payouts_of_two_cells: payouts.paid,
      refusals_of_the_thawed_cell: findings.thawRejections,
      pause_ms: Math.max(...pauses),
      pause_median_ms: median(pauses),
      longest_wait_of_a_merchant_ms: Math.round(Math.max(...longestWaits)),
      median_wait_of_a_merchant_ms: Math.round(median(longestWaits)),
      scale: scale.scale.toFixed(2),
      scale_by: scale.method,
      one_cell_payments_per_second: scale.oneRate.toFixed(1),
      three_cells_payments_per_second: scale.threeRate.toFixed(1),
      cost_of_a_payment_us: `${Math.round(scale.oneCostUs)} in one, ${Math.round(scale.threeCostUs)} in three: ${costRatio.toFixed(2)}`,
      one_frozen_p99_of_others_ms: `${frozen.calmP99Ms.toFixed(0)} before, ${frozen.frozenP99Ms.toFixed(0)} meanwhile: ${frozen.ratio.toFixed(2)}`,
      goals_missed: missedGoals.join(", ") || "none",
    },
    misses: [
      ...lost,
      ...doubled,
      ...wrong.map((each) => `wrong: ${each}`),
      ...other,
      ...reconciliation.breaks,
      ...routingMisses,
    ],
    details: [
      "| merchant | from | to | rows | pause ms | longest wait of its client ms | mover killed at |",
      "| --- | --- | --- | --: | --: | --: | --- |",
      ...moves.map((move, index) => rowOf(move, longestWaits[index] ?? 0)),
      "",
      "`tollgate cells status` at the end:",
      "",
      "```",
      reconciliation.status,
      "```",
    ],
  };
}

function rowOf({ merchant, from, to, rows, pauseMs, killedAt }: MerchantMove, longestWaits: number): string {
  const cells = [
    merchant.clientId,
    from,
    to,
    rows,
    pauseMs ?? "",
    Math.round(longestWaits),
    killedAt.join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The longest time for which the merchant had to repeat a request during its move. */
function longestWaitMs(
  { merchant, beganAtMs, endedAtMs }: MerchantMove,
  shops: readonly SellingShop[],
): number {
  const shop = shops.find((each) => each.merchant.clientId === merchant.clientId);
  const waits = (shop?.waits ?? []).filter(
    ({ fromMs, untilMs }) => untilMs > beganAtMs && fromMs < endedAtMs + 1_000,
  );
  return Math.max(0, ...waits.map(({ fromMs, untilMs }) => untilMs - fromMs));
}
