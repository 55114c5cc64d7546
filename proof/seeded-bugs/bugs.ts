import { readdirSync, readFileSync } from "node:fs";

/** A seeded bug, which is patched into a copy of the gateway, and the layer that must find it. */
export interface SeededBug {
  /** The name of the bug, which begins with its number. The patch is `patches/<name>.patch`. */
  readonly name: string;
  readonly description: string;
  readonly layer: Layer;
  /**
   * The finding that the layer must report, or the name of the test that must fail. A failure for another reason does
   * not count.
   */
  readonly expected: RegExp | string;
}

/** A command of a proof that exits with 0 on the unchanged tree. */
export interface Layer {
  readonly name: string;
  /** Arguments by the number of the run, from 0: each run has another seed. */
  readonly args: (run: number) => readonly string[];
  /** The test file, if the layer runs only one. */
  readonly testFile?: string;
}

const storm = (name: string, ...stormArgs: readonly string[]): Layer => ({
  name: `storm, ${name}`,
  args: (run) => [
    "proof/prove.ts",
    "--seed",
    String(7 + run),
    "--final-within",
    "40",
    "--payments",
    ...stormArgs,
  ],
});
const calm = storm("nothing breaks", "300", "--seconds", "10", "--calm");
const stormOf = (name: string, ...kinds: readonly string[]): Layer =>
  storm(name, "500", "--seconds", "20", "--kinds", kinds.join(","));
const lostAnswers = stormOf("answers of the provider are lost", "provider: answer-lost", "provider: garbage");
const lateAnswers = stormOf("answers of the provider are late", "provider: late-answer");
// A storm without faults. Its journeys still inject stale reads, which a calm run does not clear.
const calmLive = storm("live, nothing breaks", "500", "--seconds", "15", "--live", "--calm");
const kills = stormOf("processes are killed", "process killed");
const scenario = (name: string): Layer => ({
  name: `scenario, ${name}`,
  args: () => [`proof/scenarios/${name}.ts`],
});
const commitHole: Layer = {
  name: "commit hole",
  args: () => ["proof/commit-hole.ts", "--tries", "20", "only"],
};

const month: Layer = { name: "month", args: () => ["proof/month.ts", "--smoke"] };

/** Bugs in the ledger, which the independent model of the month's proof detects. */
const monthBugs: readonly SeededBug[] = [
  {
    name: "32-fee-twice",
    description: "The fee is charged twice",
    layer: month,
    expected: /^MISS .*: fee revenue \w+ is -?\d+, and should be/,
  },
  {
    name: "33-payout-without-debit",
    description: "A payout does not reduce the owed amount",
    layer: month,
    expected: /^MISS .*: merchant payable \w+ \w+ is -?\d+, and should be|check_violation|is not there/,
  },
  {
    name: "34-batch-ends-at-midnight-utc",
    description: "A batch ends at midnight UTC, eight hours late",
    layer: month,
    expected: /^MISS .* was (?:due, and was not paid|paid, and was not due)/,
  },
  {
    name: "35-fee-begins-after-midnight",
    description: "The first millisecond of a day uses the fee of the previous day",
    layer: month,
    expected: /^MISS .*: fee revenue \w+ is -?\d+, and should be|Every merchant of the month has its rules/,
  },
  {
    name: "36-tax-rounded-down",
    description: "Tax is rounded down at half a unit",
    layer: month,
    expected: /^MISS .*: tax payable \w+ is -?\d+, and should be/,
  },
  {
    name: "37-margin-twice",
    description: "Our margin on an FX rate is deducted twice",
    layer: month,
    expected: /^MISS .*: exchange \w+\/\w+ \w+ is -?\d+, and should be/,
  },
];

const stormAndScenarioBugs: readonly SeededBug[] = [
  {
    name: "01-no-unique-key",
    description: "No unique key on the payment request",
    layer: calm,
    expected: /^doubled: one request id has several records/,
  },
  {
    name: "02-new-reference-per-try",
    description: "Each retry uses a new provider reference",
    layer: lostAnswers,
    expected:
      /^doubled: opened \d+ times|^unbalanced: refunded by the provider, but is not known|^lost: is SUCCESS, but the provider has never refunded/,
  },
  {
    name: "03-settle-without-epoch",
    description: "A process writes after it has lost its lease",
    layer: lateAnswers,
    expected: /^broken: the log reports a bug: .*ledger_transfers_pkey/,
  },
  {
    name: "04-outbox-outside",
    description: "The webhook is written by a second transaction after the commit",
    layer: kills,
    expected: /^lost: is (?:SUCCESS|FAIL|CANCELLED), and its merchant was not notified/,
  },
  {
    name: "05-standby-warning-swallowed",
    description: "A commit without a standby's confirmation is reported",
    layer: commitHole,
    expected: /^MISS .*was reported as \w+, and (?:does not exist|is \w+)/,
  },
  {
    name: "06-no-walls-between-merchants",
    description: "An inquiry and row-level security do not restrict the merchant",
    layer: scenario("tenant-isolation"),
    expected: /^lost: was reported to another merchant/,
  },
  {
    name: "07-no-answer-is-a-no",
    description: "A timeout of a provider counts as a rejection",
    layer: lostAnswers,
    expected: /^unbalanced: (?:refunded|captured) by the provider, but is FAIL here/,
  },
  {
    name: "08-not-found-believed-at-once",
    description: "A provider's 'not found' for a refund is trusted at once",
    layer: scenario("not-found"),
    expected: /^unbalanced: refunded by the provider, but is FAIL here/,
  },
  {
    name: "10-no-tombstone",
    description: "A cancel before the payment leaves no tombstone",
    layer: calm,
    expected: /^lost: was reported as CANCELLED, and does not exist/,
  },
  {
    name: "11-take-over-posts-twice",
    description: "Two processes that settle the same record both post to the ledger",
    layer: lateAnswers,
    expected: /^unbalanced: our ledger has/,
  },
  {
    name: "12-late-success-ignored",
    description: "A payment after the cancel is not reversed",
    layer: calm,
    expected: /^unbalanced: is CANCELLED, but the buyer has paid/,
  },
  {
    name: "13-refused-cancel-keeps-reserve",
    description: "A rejected cancel does not release its reserve",
    layer: calm,
    expected: /^unbalanced: (?:\d+ is still reserved, and nothing is open|match finds a break: open refunds)/,
  },
  {
    name: "14-fee-kept-on-cancel",
    description: "A cancel does not return the fee",
    layer: calm,
    expected: /^unbalanced: its fee is \d+, and should be 0/,
  },
  {
    name: "15-open-refunds-not-set-aside",
    description: "A new refund ignores the reserve of pending refunds",
    layer: calm,
    expected: /^unbalanced: its merchant has refunded \d+ more than its balance/,
  },
  {
    name: "17-live-believes-what-it-is-not-told",
    description: "Live accepts a callback that the provider's inquiry does not confirm",
    layer: calmLive,
    expected: /^unbalanced: is CANCELLED, but the buyer has paid/,
  },
];

/** Bugs in operations that take time or fail late. The journeys of a calm storm contain these operations. */
const lateFailureBugs: readonly SeededBug[] = [
  {
    name: "68-refund-reversal-posted-twice",
    description: "The reversal of a refund is posted twice",
    layer: calm,
    expected: /^unbalanced: its refund reversal posts/,
  },
  {
    name: "69-failure-after-success-ignored",
    description: "A refund stays successful after its provider has failed it",
    layer: calm,
    expected: /^unbalanced: failed at the provider after it was done, and is SUCCESS here/,
  },
  {
    name: "70-capture-in-progress-is-done",
    description: "A capture that is in progress at the provider counts as done",
    layer: calm,
    expected: /^lost: is SUCCESS, but the provider has never captured it/,
  },
  {
    name: "71-reversed-amount-stays-refunded",
    description: "The amount of a reversed refund can not be refunded again",
    layer: calm,
    expected: /^unbalanced: \d+ counts as refunded, and \d+ was not failed/,
  },
  {
    name: "72-lapsed-hold-is-captured",
    description: "A hold that lapsed at the provider can be captured",
    layer: calm,
    expected: /^unbalanced: the gateway accepted a capture of a lapsed hold/,
  },
];

const folder = new URL("patches/", import.meta.url);
const layers = new Map<string, Layer>();

/** All seeded bugs, by their numbers. */
export const seededBugs: readonly SeededBug[] = [
  ...stormAndScenarioBugs,
  ...lateFailureBugs,
  ...monthBugs,
  ...readTestBugs(),
].sort((a, b) => (a.name < b.name ? -1 : 1));

/**
 * Bugs that a storm finds only by chance are found by a test, every time. Such a patch contains the bug's description,
 * the test file and the test's name in three lines before its first change.
 */
function readTestBugs(): readonly SeededBug[] {
  return readdirSync(folder).flatMap((file) => {
    const header = /^what: (.+)\nfile: (.+)\ntest: (.+)\n/.exec(readFileSync(new URL(file, folder), "utf8"));
    const [, description, testFile, expected] = header ?? [];
    if (description === undefined || testFile === undefined || expected === undefined) return [];
    return [{ name: file.replace(/\.patch$/, ""), description, layer: testLayer(testFile), expected }];
  });
}

/** `testLayer` returns the layer of one test file. All bugs that this file finds share the layer. */
function testLayer(testFile: string): Layer {
  const setup = "--test-global-setup=server/test/start/global-setup.ts";
  const layer = layers.get(testFile) ?? {
    name: `test, ${testFile}`,
    args: () => ["--test", "--test-reporter=tap", setup, testFile],
    testFile,
  };
  layers.set(testFile, layer);
  return layer;
}
