import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";

/** Measured cost of a payment, assumptions, and prices: `cells-cost.json`, or the user's own file. */
interface Input {
  readonly measured: Readonly<
    Record<
      | "serveMs"
      | "workMs"
      | "postgresMs"
      | "inquiryServeMs"
      | "inquiryWorkMs"
      | "inquiryPostgresMs"
      | "walKb"
      | "pagesRead"
      | "wholePages"
      | "commits"
      | "diskKb"
      | "archivedKb"
      | "archiveFileKb"
      | "requestLogKb",
      number
    >
  >;
  readonly assumed: { readonly currency: string } & Readonly<
    Record<
      | "inquiriesPerPayment"
      | "busyShare"
      | "meanOfPeak"
      | "paymentsPerSecondPerCell"
      | "standbys"
      | "liveMonths"
      | "archivedMonths"
      | "networkKb"
      | "edgeMs"
      | "edgesMin",
      number
    >
  >;
  readonly prices: Readonly<
    Record<"coreHour" | "diskGbMonth" | "objectGbMonth" | "betweenZonesGb" | "outGb", number>
  >;
}

/** Resources of a fleet at a rate, and its monthly cost. */
export interface FleetCost {
  readonly rate: number;
  readonly cells: number;
  readonly serveCores: number;
  readonly workCores: number;
  /** Cores of all primaries. Each standby has the same number, so that it can take over. */
  readonly primaryCores: number;
  readonly standbyCores: number;
  readonly edgeCores: number;
  readonly walMbPerSecond: number;
  readonly iopsPerCell: number;
  /** Disk space on all primaries at the end of the retention time, in terabytes. */
  readonly diskTb: number;
  readonly objectTb: number;
  readonly networkGbits: number;
  readonly month: Readonly<Record<"cores" | "disks" | "objects" | "network", number>>;
  readonly perMillion: number;
}

export const rates = [100, 10_000, 100_000] as const;
const hoursPerMonth = 730;
const secondsPerMonth = hoursPerMonth * 3_600;
const root = new URL("../", import.meta.url);
export const inputFile = fileURLToPath(new URL("scripts/cells-cost.json", root));
export const outputPage = fileURLToPath(new URL("docs/operating/cells-cost.md", root));

export function readInput(file: string): Input {
  return JSON.parse(readFileSync(file, "utf8")) as Input;
}

export function costAt(rate: number, { measured, assumed, prices }: Input): FleetCost {
  const { inquiriesPerPayment: inquiries, busyShare, standbys } = assumed;
  const coresFor = (ms: number): number => (rate * ms) / 1_000 / busyShare;
  const cells = Math.ceil(rate / assumed.paymentsPerSecondPerCell);
  const cores = {
    serveCores: ceilWithMinimum(2 * cells, coresFor(measured.serveMs + inquiries * measured.inquiryServeMs)),
    workCores: ceilWithMinimum(cells, coresFor(measured.workMs + inquiries * measured.inquiryWorkMs)),
    primaryCores: ceilWithMinimum(
      2 * cells,
      coresFor(measured.postgresMs + inquiries * measured.inquiryPostgresMs),
    ),
    edgeCores: ceilWithMinimum(assumed.edgesMin, coresFor(assumed.edgeMs * (2 + inquiries))),
  };
  const standbyCores = standbys * cores.primaryCores;
  const perMonth = rate * assumed.meanOfPeak * secondsPerMonth;
  const retainedKb =
    perMonth * (assumed.liveMonths * measured.diskKb + assumed.archivedMonths * measured.archivedKb);
  const diskGb = (retainedKb + perMonth * measured.requestLogKb) / 1e6;
  const walGb = (perMonth * measured.walKb) / 1e6;
  // Object storage contains a month of WAL for point-in-time restores, one copy of the disks, and the archive files.
  const objectGb = walGb + diskGb + (perMonth * assumed.archivedMonths * measured.archiveFileKb) / 1e6;
  const allCores = cores.serveCores + cores.workCores + cores.primaryCores + standbyCores + cores.edgeCores;
  const outGb = (perMonth * assumed.networkKb) / 1e6;
  const month = {
    cores: allCores * hoursPerMonth * prices.coreHour,
    disks: diskGb * (1 + standbys) * prices.diskGbMonth,
    objects: objectGb * prices.objectGbMonth,
    network: walGb * standbys * prices.betweenZonesGb + outGb * prices.outGb,
  };
  const sum = Object.values(month).reduce((total, each) => total + each, 0);
  return {
    rate,
    cells,
    ...cores,
    standbyCores,
    walMbPerSecond: (rate * measured.walKb) / 1_000,
    iopsPerCell: ((measured.commits + measured.pagesRead + measured.wholePages) * rate) / cells,
    diskTb: diskGb / 1_000,
    objectTb: objectGb / 1_000,
    networkGbits: (rate * (assumed.networkKb + standbys * measured.walKb) * 8) / 1e6,
    month,
    perMillion: sum / (perMonth / 1e6),
  };
}

function ceilWithMinimum(minimum: number, amount: number): number {
  return Math.max(minimum, Math.ceil(amount));
}

/** `costPage` returns the whole page about costs: figures from the input, and text from this file. */
export function costPage(input: Input): string {
  const costs = rates.map((rate) => costAt(rate, input));
  const row = (label: string, read: (cost: FleetCost) => string): string =>
    `| ${[label, ...costs.map(read)].join(" | ")} |`;
  const money = (value: number): string => Math.round(value).toLocaleString("en");
  const { measured, assumed, prices } = input;
  const { currency } = assumed;
  return [
    "# Cost of cells",
    "",
    "For operators who plan a fleet: resources and cost, calculated from measurements of one payment, for up to 100,000 payments per second. The program `node scripts/cells-cost.ts` makes this page. With `--input FILE`, the program uses your own figures and prices, in the format of `scripts/cells-cost.json`.",
    "The cost on this page excludes staff, provider licences and taxes.",
    "",
    "**The columns for 10,000 and 100,000 payments a second are extrapolations that were never tested.** The extrapolations are linear, from a benchmark of 539 payments a second on two slow cores (2026-11-17, commit 20311a2; [latest](../evidence/bench.md)) and from [growth](../evidence/growth-rows.md) to twenty million rows. Three cells together [carried](../evidence/cells.md) 3.4 times the load of one cell, at the same cost per payment. Cells share only the edge.",
    "",
    "The CPU time of `serve` was measured at commit 20311a2 with native RSA signatures. Decision [0111](../decisions/0111-sign-with-openssl-only.md) removed native RSA signatures on 2026-11-18. With signatures by OpenSSL alone, the CPU time of `serve` is higher on processors with AVX-512.",
    "",
    "## Input",
    "",
    "Measured:",
    "",
    `- CPU time of \`serve\`, \`work\` and PostgreSQL per payment: ${measured.serveMs}, ${measured.workMs} and ${measured.postgresMs} ms.`,
    `- CPU time of \`serve\`, \`work\` and PostgreSQL per inquiry: ${measured.inquiryServeMs}, ${measured.inquiryWorkMs} and ${measured.inquiryPostgresMs} ms.`,
    `- WAL per payment, with millions of rows: ${measured.walKb} kB.`,
    `- Database work per payment: ${measured.commits} commits, ${measured.pagesRead} pages read and ${measured.wholePages} full pages written.`,
    `- Disk per payment: ${measured.diskKb} kB; for an archived payment, ${measured.archivedKb} kB in tables and ${measured.archiveFileKb} kB in files.`,
    `- Request log per payment: ${measured.requestLogKb} kB, kept for 30 days.`,
    "",
    "Assumed:",
    "",
    `- Merchants send ${assumed.inquiriesPerPayment} inquiry per payment. The rates on this page are peaks, and the mean rate is ${assumed.meanOfPeak} of the peak. CPU utilisation at the peak is ${assumed.busyShare}.`,
    `- A cell serves up to ${assumed.paymentsPerSecondPerCell} payments a second, and has ${assumed.standbys} standbys as large as its primary.`,
    `- Rows of a payment stay in the tables for ${assumed.liveMonths} months and in the archive for ${assumed.archivedMonths} more months.`,
    `- ${assumed.networkKb} kB of network traffic leave the gateway per payment. The edge takes ${assumed.edgeMs} ms per request, including TLS.`,
    "",
    `Example prices in ${currency}:`,
    "",
    `- A core with its memory: ${prices.coreHour} per hour.`,
    `- Fast disk: ${prices.diskGbMonth} per GB and month. Object storage: ${prices.objectGbMonth} per GB and month.`,
    `- Network: ${prices.betweenZonesGb} per GB between zones, ${prices.outGb} per GB to the internet.`,
    "",
    "## Results",
    "",
    row("payments a second, at the peak", ({ rate }) => rate.toLocaleString("en")),
    "| --- | --: | --: | --: |",
    row("cells", ({ cells }) => String(cells)),
    row("cores for `serve`", ({ serveCores }) => money(serveCores)),
    row("cores for `work`", ({ workCores }) => money(workCores)),
    row(
      "cores for primaries + standbys",
      (cost) => `${money(cost.primaryCores)} + ${money(cost.standbyCores)}`,
    ),
    row("cores for edges", ({ edgeCores }) => money(edgeCores)),
    row("WAL, MB a second, all cells", ({ walMbPerSecond }) => money(walMbPerSecond)),
    row("disk operations a second, per cell", ({ iopsPerCell }) => money(iopsPerCell)),
    row("disk of all primaries, TB", ({ diskTb }) => money(diskTb)),
    row("disk of each primary, TB", ({ diskTb, cells }) => money(diskTb / cells)),
    row("object storage, TB: a backup, a month of WAL, the archive", ({ objectTb }) => money(objectTb)),
    row("network, Gbit a second, with replication", ({ networkGbits }) => networkGbits.toFixed(2)),
    row(`${currency} a month: cores`, ({ month }) => money(month.cores)),
    row("disks", ({ month }) => money(month.disks)),
    row("object storage", ({ month }) => money(month.objects)),
    row("network", ({ month }) => money(month.network)),
    row(`**${currency} per million payments**`, ({ perMillion }) => `**${perMillion.toFixed(0)}**`),
    "",
    ...fixedSections,
  ].join("\n");
}

const fixedSections = [
  "## Bottlenecks",
  "",
  "| rate per second | bottleneck | solution |",
  "| --- | --- | --- |",
  "| 100 | the disk: seven years of rows, on the primary and each standby, are most of the cost. Nothing else is near its limit, and one cell is enough | [archive](data-retention.md#the-archive) monthly, keep fewer years, or remove archived payments from the database completely |",
  "| 800 | the same disk: no server has one so large. An archived payment still has 2.4 kB in tables | removing archived rows from the database, which is not implemented yet; until then fill cells less, or keep fewer months |",
  "| 800 | the single writer: WAL of the primary, then its fsync and the synchronous standby | a second cell, and `merchant move` |",
  "| 10,000 | staff: a dozen databases to migrate, back up, monitor and reconcile. Then the providers, most of which accept less | each command runs over all cells, a canary cell goes first, alerts name the cell |",
  "| 10,000 | one merchant that fills a cell alone, because a client cannot be split | several client ids for the merchant, which its own systems select |",
  "| 100,000 | buckets: 1,024 buckets are eight per cell, so whole buckets cannot fill cells evenly | more entries of single merchants in the directory; an edge looks them up in a map first |",
  "| 100,000 | signatures: 1.4 of 5.4 ms are RSA-2048 | Ed25519 for merchants, which the interface does not offer yet |",
  "| 100,000 | regions: merchants want a near host, while a merchant's ledger needs one home cell | home cells by region; requests from another region pay the network round trip |",
  "",
  "## Comparison",
  "",
  "The figures below were published by the named companies or by the press. The conditions of the figures differ, and most companies do not publish their conditions.",
  "",
  "| company | figures | source |",
  "| --- | --- | --- |",
  "| Hyperswitch | plans 0.14 cores per request per second and seven requests per payment, so about one core per payment per second; for 1,000 transactions per second 150 database cores, 50,000 disk operations, 16 kB per payment | its guide to scale and reliability |",
  "| Stripe | peak of 137,000 transactions a minute, 2,283 a second, in 2024; over 2,000 shards in 2023 | its newsroom; its engineering blog on DocDB |",
  "| Adyen | peak of 199,000 a minute, 3,317 a second, in 2025 | press |",
  "| UPI | 20.4 billion in February 2026, 8,400 a second on average | NPCI |",
  "| Alipay | 256,000 payments a second at the peak of 2017 | press |",
  "| Alibaba | 583,000 created orders a second in 2020, which are orders and not payments | the blog of its cloud |",
  "",
  "By the table of results, the peaks of Stripe and Adyen would need three to five cells of Tollgate.",
  "",
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { input: { type: "string" } } });
  const text = costPage(readInput(values.input ?? inputFile));
  if (values.input === undefined) writeFileSync(outputPage, text);
  else process.stdout.write(text);
}
