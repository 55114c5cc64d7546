import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { arch, cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBinFolder } from "../../server/src/postgres/temporary-postgres.ts";
import { drawChart } from "./storm-chart.ts";
import type { Finding } from "../oracle/finding.ts";
import { commandLine } from "./run-proof.ts";
import type { StormResult, Conditions, StormOptions } from "../storm/storm.ts";

type Counts = Readonly<Record<string, number>>;

/** Counts of the four kinds of findings about money. */
export type FindingCounts = Readonly<Record<"lost" | "doubled" | "unbalanced" | "stuck", number>>;

/** The figures of a complete run. */
export interface Report {
  readonly seed: number;
  readonly at: string;
  readonly commit: string;
  readonly machine: Readonly<Record<"cores" | "memory" | "kernel" | "node" | "postgres", string>>;
  readonly durable: boolean;
  readonly conditions: Conditions;
  readonly misses: FindingCounts;
  readonly findings: readonly Finding[];
  readonly figures: {
    readonly payments: Counts;
    readonly flows: Counts;
    readonly providers: Counts;
    readonly refunds: Counts;
    readonly captures: Counts;
    readonly reversals: Counts;
    readonly disputes: Counts;
    /** Captures, refunds and cancels that took time or failed late, by kind. */
    readonly asynchronous: Counts;
    readonly payouts: Counts;
    readonly moves: StormResult["moves"];
    readonly batches: StormResult["batches"];
    /** Reconciliation breaks, where records, ledger and providers' files disagree. */
    readonly breaks: number;
    readonly revocations: number;
    readonly requests: number;
    readonly unanswered: number;
    readonly answers: Counts;
    readonly answerMs: { readonly median: number; readonly p99: number };
    readonly notifications: Counts;
    /** Alerts to the operator, by their message. */
    readonly alerts: Counts;
    readonly moneyMovements: number;
    readonly stormSeconds: number;
    readonly finalAfterSeconds: number;
  };
  readonly faults: Counts;
  readonly failOvers: readonly Counts[];
  readonly restartsMs: readonly number[];
}

export async function newReport(
  options: Pick<StormOptions, "seed" | "durable">,
  stormResult: StormResult,
  findings: readonly Finding[],
): Promise<Report> {
  const { history, databaseState, journal, repairs } = stormResult;
  const answerMs = history.answers
    .map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs)
    .sort((a, b) => a - b);
  const percentile = (share: number): number =>
    Math.round(answerMs[Math.floor(answerMs.length * share)] ?? 0);
  const statuses = (rows: readonly { readonly status: string }[]): Counts =>
    countByName(rows.map(({ status }) => status));
  return {
    seed: options.seed,
    at: new Date().toISOString(),
    commit: commit(),
    machine: await machine(),
    durable: options.durable,
    conditions: stormResult.conditions,
    misses: countFindings(findings),
    findings,
    figures: {
      payments: statuses(databaseState.payments),
      flows: countByName(databaseState.payments.map(({ flow }) => flow)),
      providers: countByName(databaseState.payments.map(({ connector }) => connector)),
      refunds: statuses(databaseState.refunds),
      captures: statuses(databaseState.captures),
      reversals: statuses(databaseState.reversals),
      disputes: statuses(databaseState.disputes),
      asynchronous: {
        ...journal.operations,
        "cancel failed after done": databaseState.reversals.filter(
          ({ reversedAtMs }) => reversedAtMs < Infinity,
        ).length,
      },
      payouts: stormResult.payouts.payouts,
      moves: stormResult.moves,
      batches: stormResult.batches,
      breaks: databaseState.breaks.length,
      revocations: history.answers.filter(
        ({ verb, resultStatus }) => verb === "revoke" && resultStatus === "S",
      ).length,
      requests: history.answers.length + history.unansweredAtMs.length,
      unanswered: history.unansweredAtMs.length,
      answers: countByName(
        history.answers.map(({ verb, resultStatus, resultCode }) => `${verb} ${resultStatus} ${resultCode}`),
      ),
      answerMs: { median: percentile(0.5), p99: percentile(0.99) },
      notifications: countByName(history.notifications.map(({ notifyType }) => notifyType)),
      alerts: countByName(stormResult.alerts.map(messageOf)),
      moneyMovements: journal.paid.size + journal.captured.size + journal.refunded.size,
      stormSeconds: tenths(stormResult.stormMs / 1_000),
      finalAfterSeconds: tenths(stormResult.quietMs / 1_000),
    },
    faults: countByName(history.faults.map(({ kind }) => kind)),
    failOvers: repairs.failOvers.map(({ promotedMs, outageMs, standbyMs }) => ({
      promotedMs: Math.round(promotedMs),
      outageMs: Math.round(outageMs),
      standbyMs: Math.round(standbyMs),
    })),
    restartsMs: repairs.restartsMs.map(Math.round),
  };
}

/** Writes `storm.md` and its chart. */
export function writeReport(folder: string, report: Report, stormResult: StormResult): void {
  mkdirSync(folder, { recursive: true });
  const { misses, figures } = report;
  const subtitle =
    `${sumCounts(figures.payments)} payments, ${figures.moneyMovements} movements of money, ${sumCounts(report.faults)} faults: ` +
    Object.entries(misses)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ");
  const title = `Load and fault test (storm), seed ${report.seed}`;
  writeFileSync(join(folder, "storm.md"), formatReport(report));
  writeFileSync(join(folder, "storm.svg"), drawChart({ ...stormResult, title, subtitle }));
}

export function countFindings(findings: readonly Finding[]): FindingCounts {
  const count = (kind: Finding["kind"]): number => findings.filter((finding) => finding.kind === kind).length;
  return {
    lost: count("lost"),
    doubled: count("doubled"),
    unbalanced: count("unbalanced"),
    stuck: count("stuck"),
  };
}

export function sumCounts(counts: Counts): number {
  return Object.values(counts).reduce((all, each) => all + each, 0);
}

function formatReport(report: Report): string {
  const { figures, misses, machine: environment } = report;
  const { cores, memory, kernel, node, postgres } = environment;
  const payments = sumCounts(figures.payments);
  const failureRateMax = (300 / payments).toPrecision(2);
  return `# Load and fault test (storm), seed ${report.seed}

\`${commandLine("prove")}\` at commit ${report.commit}, ${report.at}. ${cores}, ${memory}, ${kernel}, Node ${node}, PostgreSQL ${postgres}; the database ${report.durable ? "waits for the disk" : "does not wait for the disk"}.

![Responses, webhooks and faults over time](storm.svg)

| lost | doubled | unbalanced | stuck | other findings |
| --: | --: | --: | --: | --: |
| ${misses.lost} | ${misses.doubled} | ${misses.unbalanced} | ${misses.stuck} | ${report.findings.filter(({ kind }) => kind === "broken").length} |

${payments} payments and ${sumCounts(report.faults)} faults within ${figures.stormSeconds} s. Everything was final ${figures.finalAfterSeconds} s after the last fault and the last payment.
No failure among so many bounds the rate of failures, under this mix of faults, to less than ${failureRateMax} % (95 %, rule of three).

${describeConditions(report.conditions)}

## Money

| | |
| --- | --- |
| payments | ${formatCounts(figures.payments)} |
| way to pay | ${formatCounts(figures.flows)} |
| payment provider | ${formatCounts(figures.providers)} |
| captures | ${formatCounts(figures.captures)} |
| refunds | ${formatCounts(figures.refunds)} |
| reversals | ${formatCounts(figures.reversals)} |
| disputes | ${formatCounts(figures.disputes)} |
| took time, or failed late | ${formatCounts(figures.asynchronous)} |
| payouts | ${formatCounts(figures.payouts)} |
| moves of merchants between two cells | ${figures.moves.moved}; ${figures.moves.interrupted} runs of \`merchant move\` were killed or failed, and continued |
| transactions that settled several payments | ${figures.batches.settledTogether} |
| inquiries that shared a statement | ${figures.batches.sharedInquiries} |
| consents revoked | ${figures.revocations} |
| breaks that \`match\` finds at the end, with the providers' files | ${figures.breaks} |
| movements of money in the providers' journals | ${figures.moneyMovements} |
| requests | ${figures.requests}, of which ${figures.unanswered} without a response |
| response time | median ${figures.answerMs.median} ms, 99 % within ${figures.answerMs.p99} ms |
| notifications received | ${formatCounts(figures.notifications)} |

## Faults

${table(["fault", "times"], Object.entries(report.faults))}
${failOverTable(report)}
## Answers

${table(["answer", "times"], Object.entries(figures.answers))}
## Alerts to the operator

${table(["alert", "times"], Object.entries(figures.alerts))}
## Findings

${
  report.findings.length === 0
    ? "None."
    : table(
        ["kind", "what", "ids"],
        report.findings.map(({ kind, description, ids }) => [kind, description, ids.join(" ")]),
      )
}

A failed webhook is retried after two minutes or more, and a capture, refund or reversal in progress is polled up to 15 minutes apart; these waits are skipped after the end of the faults.
`;
}

function describeConditions(conditions: Conditions): string {
  const { live, secondHostSkewMs, feeBasisPoints, quietSeconds, lateArrival } = conditions;
  const hours = `${Math.abs(secondHostSkewMs) / 3_600_000} h ${secondHostSkewMs < 0 ? "late" : "early"}`;
  return `${
    live
      ? "Live: the gateway verifies each callback about money with an inquiry at the provider."
      : "Sandbox: the gateway trusts callbacks."
  } The second provider is not idempotent. A provider's "not found" is trusted after a quiet time of ${quietSeconds.join(" and ")} s. The clock of the second serve and the second work is ${hours}. Merchants pay ${feeBasisPoints / 100} %. ${
    lateArrival
      ? "Messages to providers may arrive after the gateway's timeout."
      : "The providers can not delay messages."
  }`;
}

function failOverTable({ failOvers, restartsMs }: Report): string {
  const rows = failOvers.map(({ promotedMs, outageMs, standbyMs }, index) => [
    `failover ${index + 1}`,
    `${promotedMs} ms`,
    `${outageMs} ms`,
    `${standbyMs} ms`,
  ]);
  const restarts = restartsMs.map((ms, index) => [`restart ${index + 1}`, "", `${ms} ms`, ""]);
  return table(
    ["the primary", "promotion", "no primary for", "next standby ready after"],
    [...rows, ...restarts],
  );
}

function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return `${[line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}

function formatCounts(counts: Counts): string {
  const texts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return texts.length === 0 ? "none" : `${sumCounts(counts)}: ${texts.join(", ")}`;
}

/** The message of a log line. */
function messageOf(line: string): string {
  return /"msg":"([^"]*)"/.exec(line)?.[1] ?? line;
}

function countByName(names: readonly string[]): Counts {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

async function machine(): Promise<Report["machine"]> {
  const [cpu] = cpus();
  const version = execFileSync(join(await findBinFolder(), "postgres"), ["--version"], { encoding: "utf8" });
  return {
    cores: `${cpus().length} cores (${cpu?.model.trim() ?? arch()})`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    kernel: `${type()} ${release()}`,
    node: process.versions.node,
    postgres: /\d[\d.]*/.exec(version)?.[0] ?? "",
  };
}

export function commit(): string {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    return git("rev-parse", "HEAD") + (git("status", "--porcelain") === "" ? "" : " with changes");
  } catch {
    return "unknown";
  }
}
