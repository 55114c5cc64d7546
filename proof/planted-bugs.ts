import { readdirSync, readFileSync } from "node:fs";

/** A bug that is planted in a copy of the gateway, and the layer that has to find it. */
export interface PlantedBug {
  /** Its patch is `planted/<name>.patch`; the name begins with its number. */
  readonly name: string;
  readonly what: string;
  readonly layer: Layer;
  /**
   * The finding that the layer has to report, or the name of the test that has to fail. Failing for another
   * reason is not enough.
   */
  readonly expected: RegExp | string;
}

/** A command of the proof that exits with 0 on the unchanged tree. */
export interface Layer {
  readonly name: string;
  /** Arguments by the number of the run, from 0: each run has another seed. */
  readonly words: (run: number) => readonly string[];
  /** The test file, if the layer only runs one. */
  readonly testFile?: string;
}

const storm = (name: string, ...weather: readonly string[]): Layer => ({
  name: `storm, ${name}`,
  words: (run) => [
    "proof/prove.ts",
    "--seed",
    String(7 + run),
    "--final-within",
    "40",
    "--payments",
    ...weather,
  ],
});
const calm = storm("nothing breaks", "300", "--seconds", "10", "--calm");
const stormOf = (name: string, ...kinds: readonly string[]): Layer =>
  storm(name, "500", "--seconds", "20", "--kinds", kinds.join(","));
const lostAnswers = stormOf("answers of the wallet are lost", "wallet: answer-lost", "wallet: garbage");
const lateAnswers = stormOf("answers of the wallet are late", "wallet: late-answer");
// A journey injects stale reads as well, and in a calm run they are not cleared.
const calmLive = storm("live, nothing breaks", "500", "--seconds", "15", "--live", "--calm");
const kills = stormOf("processes are killed", "process killed");
const scenario = (name: string): Layer => ({
  name: `scenario, ${name}`,
  words: () => [`proof/scenarios/${name}.ts`],
});
const commitHole: Layer = {
  name: "commit hole",
  words: () => ["proof/commit-hole.ts", "--tries", "20", "only"],
};

const month: Layer = { name: "month", words: () => ["proof/month.ts", "--smoke"] };

/** Bugs in the books: whoever keeps the same books by the contracts alone comes to other sums. */
const inTheMonth: readonly PlantedBug[] = [
  {
    name: "32-fee-twice",
    what: "The fee is taken twice",
    layer: month,
    expected: /^MISS .*: fee revenue \w+ is -?\d+, and should be/,
  },
  {
    name: "33-payout-without-debit",
    what: "A payout leaves what is owed as it was",
    layer: month,
    expected: /^MISS .*: merchant payable \w+ \w+ is -?\d+, and should be|check_violation|is not there/,
  },
  {
    name: "34-batch-ends-at-midnight-utc",
    what: "A batch ends at midnight UTC, eight hours late",
    layer: month,
    expected: /^MISS .* was (?:due, and was not paid|paid, and was not due)/,
  },
  {
    name: "35-fee-begins-after-midnight",
    what: "The first millisecond of a day still has the fee of the day before",
    layer: month,
    expected: /^MISS .*: fee revenue \w+ is -?\d+, and should be|Every merchant of the month has its rules/,
  },
  {
    name: "36-tax-rounded-down",
    what: "Halves of a unit are lost in rounding tax",
    layer: month,
    expected: /^MISS .*: tax payable \w+ is -?\d+, and should be/,
  },
  {
    name: "37-margin-twice",
    what: "Our part of a rate is taken twice",
    layer: month,
    expected: /^MISS .*: exchange \w+\/\w+ \w+ is -?\d+, and should be/,
  },
];

const inStormsAndScenarios: readonly PlantedBug[] = [
  {
    name: "01-no-unique-key",
    what: "No unique key on the payment request",
    layer: calm,
    expected: /^doubled: one request id has several records/,
  },
  {
    name: "02-new-reference-per-try",
    what: "A new wallet reference for every try",
    layer: lostAnswers,
    expected:
      /^doubled: opened \d+ times|^unbalanced: refunded by the wallet, but is not known|^lost: is SUCCESS, but the wallet has never refunded/,
  },
  {
    name: "03-settle-without-epoch",
    what: "Whoever lost the lease writes all the same",
    layer: lateAnswers,
    expected: /^broken: the log speaks of a bug: .*ledger_transfers_pkey/,
  },
  {
    name: "04-outbox-outside",
    what: "The notification is written a moment after the commit, by another transaction",
    layer: kills,
    expected: /^lost: is (?:SUCCESS|FAIL|CANCELLED), and its merchant was not told/,
  },
  {
    name: "05-standby-warning-swallowed",
    what: "A commit is believed that no standby has",
    layer: commitHole,
    expected: /^MISS .*was told as \w+, and (?:does not exist|is \w+)/,
  },
  {
    name: "06-no-walls-between-merchants",
    what: "An inquiry forgets the merchant, and so does the database",
    layer: scenario("strangers"),
    expected: /^lost: was told to another merchant/,
  },
  {
    name: "07-no-answer-is-a-no",
    what: "A wallet that does not answer has refused",
    layer: lostAnswers,
    expected: /^unbalanced: (?:refunded|captured) by the wallet, but is FAIL here/,
  },
  {
    name: "08-not-found-believed-at-once",
    what: "A wallet that knows of no refund yet has made none",
    layer: scenario("not-found"),
    expected: /^unbalanced: refunded by the wallet, but is FAIL here/,
  },
  {
    name: "10-no-tombstone",
    what: "A cancel that comes before the payment is not remembered",
    layer: calm,
    expected: /^lost: was told as CANCELLED, and does not exist/,
  },
  {
    name: "11-take-over-posts-twice",
    what: "Two who settle the same both post it to the ledger",
    layer: lateAnswers,
    expected: /^unbalanced: our ledger says/,
  },
  {
    name: "12-late-success-ignored",
    what: "A buyer who pays after the cancel is not given the money back",
    layer: calm,
    expected: /^unbalanced: is CANCELLED, but the buyer has paid/,
  },
  {
    name: "13-refused-cancel-keeps-reserve",
    what: "A cancel that the wallet refuses keeps what was set aside for it",
    layer: calm,
    expected: /^unbalanced: (?:\d+ stays set aside, and nothing is open|match finds a break: open refunds)/,
  },
  {
    name: "14-fee-kept-on-cancel",
    what: "Who cancels does not get the fee back",
    layer: calm,
    expected: /^unbalanced: its fee is \d+, and should be 0/,
  },
  {
    name: "15-open-refunds-not-set-aside",
    what: "What open refunds will take is forgotten when the next one is asked for",
    layer: calm,
    expected: /^unbalanced: its merchant has given back \d+ more than it had/,
  },
  {
    name: "17-live-believes-what-it-is-not-told",
    what: "Live confirms a callback that the wallet does not repeat on being asked",
    layer: calmLive,
    expected: /^unbalanced: is CANCELLED, but the buyer has paid/,
  },
];

const folder = new URL("planted/", import.meta.url);
const layers = new Map<string, Layer>();

/** All planted bugs, by their numbers. */
export const plantedBugs: readonly PlantedBug[] = [...inStormsAndScenarios, ...inTheMonth, ...inTests()].sort(
  (one, other) => (one.name < other.name ? -1 : 1),
);

/**
 * Bugs that a storm cannot tell from bad luck are found by a test, every time. Such a patch names the bug,
 * the file of the test and the test itself in three lines before its first change.
 */
function inTests(): readonly PlantedBug[] {
  return readdirSync(folder).flatMap((file) => {
    const head = /^what: (.+)\nfile: (.+)\ntest: (.+)\n/.exec(readFileSync(new URL(file, folder), "utf8"));
    const [, what, testFile, expected] = head ?? [];
    if (what === undefined || testFile === undefined || expected === undefined) return [];
    return [{ name: file.replace(/\.patch$/, ""), what, layer: testsOf(testFile), expected }];
  });
}

/** One test file; all bugs found there share the layer. */
function testsOf(testFile: string): Layer {
  const setup = "--test-global-setup=server/test/start/global-setup.ts";
  const layer = layers.get(testFile) ?? {
    name: `test, ${testFile}`,
    words: () => ["--test", "--test-reporter=tap", setup, testFile],
    testFile,
  };
  layers.set(testFile, layer);
  return layer;
}
