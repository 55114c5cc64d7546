import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";

/** What a payment was measured to take, what we assume, and what things cost: `cells-cost.json`, or a file of yours. */
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

/** What a fleet takes at a rate, and what it costs in a month. */
export interface FleetCost {
  readonly rate: number;
  readonly cells: number;
  readonly serveCores: number;
  readonly workCores: number;
  /** Cores of all primaries; standbys have as many each, to take over. */
  readonly primaryCores: number;
  readonly standbyCores: number;
  readonly edgeCores: number;
  readonly walMbPerSecond: number;
  readonly iopsPerCell: number;
  /** On the primaries, after as many months as rows are kept. */
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
export const page = fileURLToPath(new URL("docs/operating/cells-cost.md", root));

export function readInput(file: string): Input {
  return JSON.parse(readFileSync(file, "utf8")) as Input;
}

export function costAt(rate: number, { measured, assumed, prices }: Input): FleetCost {
  const { inquiriesPerPayment: inquiries, busyShare, standbys } = assumed;
  const coresFor = (ms: number): number => (rate * ms) / 1_000 / busyShare;
  const cells = Math.ceil(rate / assumed.paymentsPerSecondPerCell);
  const cores = {
    serveCores: atLeast(2 * cells, coresFor(measured.serveMs + inquiries * measured.inquiryServeMs)),
    workCores: atLeast(cells, coresFor(measured.workMs + inquiries * measured.inquiryWorkMs)),
    primaryCores: atLeast(2 * cells, coresFor(measured.postgresMs + inquiries * measured.inquiryPostgresMs)),
    edgeCores: atLeast(assumed.edgesMin, coresFor(assumed.edgeMs * (2 + inquiries))),
  };
  const standbyCores = standbys * cores.primaryCores;
  const perMonth = rate * assumed.meanOfPeak * secondsPerMonth;
  const kept =
    perMonth * (assumed.liveMonths * measured.diskKb + assumed.archivedMonths * measured.archivedKb);
  const diskGb = (kept + perMonth * measured.requestLogKb) / 1e6;
  const walGb = (perMonth * measured.walKb) / 1e6;
  // A month of WAL beside the files of the archive: what a backup to any moment needs.
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

function atLeast(least: number, wanted: number): number {
  return Math.max(least, Math.ceil(wanted));
}

/** The page, whole: figures from the input, words from here. */
export function costPage(input: Input): string {
  const costs = rates.map((rate) => costAt(rate, input));
  const row = (what: string, read: (cost: FleetCost) => string): string =>
    `| ${[what, ...costs.map(read)].join(" | ")} |`;
  const money = (value: number): string => Math.round(value).toLocaleString("en");
  const { measured, assumed, prices } = input;
  const { currency } = assumed;
  return [
    "# What cells cost",
    "",
    "For whoever plans a fleet: from what one payment was measured to take to what a hundred thousand a second take. Made by `node scripts/cells-cost.ts`; with `--input FILE` from your own figures and prices, in the form of `scripts/cells-cost.json`.",
    "It leaves out people, licences of the wallets, and taxes.",
    "",
    "**Nobody has tried the second and third column.** They are straight lines from a [bench](../evidence/2026-11-17/bench.md) of 539 payments a second on two slow cores and from [growth](../evidence/2026-11-17/growth.md) to twenty million rows. Three cells were [seen](../evidence/2026-11-17/cells.md) to carry 3.0 times what one does, at the same cost for each payment; they share nothing but the edge.",
    "",
    "## What goes in",
    "",
    `- **Measured, for each payment**: CPU of \`serve\` ${measured.serveMs} ms, of \`work\` ${measured.workMs} ms, of PostgreSQL ${measured.postgresMs} ms; for each inquiry ${measured.inquiryServeMs}, ${measured.inquiryWorkMs} and ${measured.inquiryPostgresMs} ms; WAL ${measured.walKb} kB with millions of rows; ${measured.commits} commits, ${measured.pagesRead} pages read and ${measured.wholePages} written whole; disk ${measured.diskKb} kB, archived ${measured.archivedKb} kB and ${measured.archiveFileKb} kB in files; request log ${measured.requestLogKb} kB for 30 days.`,
    `- **Assumed**: ${assumed.inquiriesPerPayment} inquiry for each payment; rates are peaks, and the mean is ${assumed.meanOfPeak} of them; processors are ${assumed.busyShare} busy at the peak; a cell is filled to ${assumed.paymentsPerSecondPerCell} payments a second, and has ${assumed.standbys} standbys as large as its primary; rows are live for ${assumed.liveMonths} months and archived for ${assumed.archivedMonths} more; ${assumed.networkKb} kB leave for each payment; the edge takes ${assumed.edgeMs} ms for each call, TLS included.`,
    `- **Prices, an example and no offer** (${currency}): ${prices.coreHour} for an hour of a core with its memory, ${prices.diskGbMonth} for a GB of fast disk and ${prices.objectGbMonth} for a GB of object storage a month, ${prices.betweenZonesGb} for a GB between zones, ${prices.outGb} for a GB to the world.`,
    "",
    "## What comes out",
    "",
    row("payments a second, at the peak", ({ rate }) => rate.toLocaleString("en")),
    "| --- | --: | --: | --: |",
    row("cells", ({ cells }) => String(cells)),
    row("cores for `serve`", ({ serveCores }) => money(serveCores)),
    row("cores for `work`", ({ workCores }) => money(workCores)),
    row(
      "cores for primaries, and for standbys",
      (cost) => `${money(cost.primaryCores)} + ${money(cost.standbyCores)}`,
    ),
    row("cores for edges", ({ edgeCores }) => money(edgeCores)),
    row("WAL, MB a second, all cells", ({ walMbPerSecond }) => money(walMbPerSecond)),
    row("disk operations a second, each cell", ({ iopsPerCell }) => money(iopsPerCell)),
    row("disk of all primaries, TB", ({ diskTb }) => money(diskTb)),
    row("disk of each primary, TB", ({ diskTb, cells }) => money(diskTb / cells)),
    row("object storage, TB: a backup, a month of WAL, the archive", ({ objectTb }) => money(objectTb)),
    row("network, Gbit a second, with replication", ({ networkGbits }) => networkGbits.toFixed(2)),
    row(`${currency} a month: cores`, ({ month }) => money(month.cores)),
    row("disks", ({ month }) => money(month.disks)),
    row("object storage", ({ month }) => money(month.objects)),
    row("network", ({ month }) => money(month.network)),
    row(`**${currency} for a million payments**`, ({ perMillion }) => `**${perMillion.toFixed(0)}**`),
    "",
    ...words,
  ].join("\n");
}

const words = [
  "## What breaks first",
  "",
  "| at | what | what we would do |",
  "| --- | --- | --- |",
  "| 100 a second | the disk: seven years of rows, on the primary and each standby, are most of the money. Nothing else is near its limit, and one cell is enough | [archive](data.md#the-archive) monthly, keep fewer years, or let what is archived leave the database whole |",
  "| 800 a second | the same disk: no server has so much. What is archived still has 2.4 kB in its tables | rows that are archived leave the database, which is not built yet; until then fill cells less, or keep fewer months |",
  "| 800 a second | the one writer: WAL of its primary, then its fsync and the synchronous standby | the second cell, and `merchant move` |",
  "| 10,000 | people: a dozen databases to migrate, back up, watch and match. Then the wallets, of which most take less than that | every command over all cells, a canary cell first, alerts by cell |",
  "| 10,000 | one merchant that alone fills a cell: it cannot be split | several client ids for it, which its own systems choose from |",
  "| 100,000 | buckets: 1,024 of them are eight for each cell, so cells cannot be filled evenly by whole buckets | more entries of single merchants in the directory; an edge looks them up in a map first |",
  "| 100,000 | signatures: 1.4 of 5.4 ms are RSA-2048 | Ed25519 for merchants that can; it is offered today |",
  "| 100,000 | regions: merchants want the near host, and money wants one home | homes by region; calls from elsewhere pay the way there and back |",
  "",
  "## Beside others",
  "",
  "As they published it; conditions differ, and most do not say theirs.",
  "",
  "| who | what | from |",
  "| --- | --- | --- |",
  "| Hyperswitch | plans 0.14 cores for a request a second and seven requests for a payment, so about one core for a payment a second; for 1,000 transactions a second 150 cores of database, 50,000 disk operations, 16 kB a payment | its guide to scale and reliability |",
  "| Stripe | peak of 137,000 transactions a minute, 2,283 a second, in 2024; over 2,000 shards in 2023 | its newsroom; its engineering blog on DocDB |",
  "| Adyen | peak of 199,000 a minute, 3,317 a second, in 2025 | press |",
  "| UPI | 20.4 billion in February 2026, 8,400 a second on the mean | NPCI |",
  "| Alipay | 256,000 payments a second at the peak of 2017 | press |",
  "| Alibaba | 583,000 orders created a second in 2020, which are orders and no payments | the blog of its cloud |",
  "",
  "By the table above the peaks of Stripe and Adyen would be three to five cells.",
  "",
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { input: { type: "string" } } });
  const text = costPage(readInput(values.input ?? inputFile));
  if (values.input === undefined) writeFileSync(page, text);
  else process.stdout.write(text);
}
