import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { operations } from "../../src/catalog/operations.ts";
import { views } from "../../src/catalog/views.ts";
import { operatorCommands } from "../../src/processes/operator-commands.ts";
import { reportNames } from "../../src/reports/report.ts";
import { exampleWords } from "../examples/example-arguments.ts";
import { boundedStatements, unboundedStatements, uncoveredCommands } from "./exceptions.ts";
import { startLargeWorld, type FillSteps } from "./large-world.ts";
import { archivedMonth, dayAgo as day, measureSize, monthAfterArchived } from "./measurements.ts";
import { reasonAgainst, type RecordedStatement } from "./recorded-plans.ts";

/**
 * Runs every operation, view, report page and command on a database with many payments, under row-level security, with
 * its own login. Each statement must read a bounded number of pages for each row that it returns or changes, and its
 * index conditions must include more than a bucket.
 */
const world = await startLargeWorld(
  {
    payments: Number(process.env["TOLLGATE_SIZE_PAYMENTS"] ?? 200_000),
    requestLogRows: Number(process.env["TOLLGATE_SIZE_LOG_ROWS"] ?? 100_000),
    smallMerchants: 3_000,
  },
  measuringSteps(process.env["TOLLGATE_SIZE_FIGURES"]),
);
const { ids, clientId } = world;

/** The evidence run (proof/size.ts) passes a file name for the figures. */
function measuringSteps(figuresFile: string | undefined): FillSteps | undefined {
  if (figuresFile === undefined) return undefined;
  const say = (line: string): void => void process.stdout.write(`size: ${line}\n`);
  return {
    say,
    async measure(filled) {
      writeFileSync(figuresFile, JSON.stringify(await measureSize(filled, say)));
    },
  };
}

/**
 * Returns an example of the reference documentation with existing data: ids of the huge merchant, and days that have
 * payments.
 */
function aboutRows(example: object): object {
  const text = JSON.stringify(example)
    .replaceAll(/\d{21}(\d{2})\d{12}/g, (id, kind: string) => ids[kind] ?? id)
    .replaceAll(/20\d\d-\d\d-\d\d/g, day(2))
    .replaceAll(/20\d\d-\d\d(?=")/g, day(2).slice(0, 7));
  return JSON.parse(text) as object;
}

function assertBounded(statements: readonly RecordedStatement[]): void {
  const found = statements.flatMap((statement) => {
    const known = [...unboundedStatements, ...boundedStatements];
    if (known.some(([text]) => statement.text.startsWith(text))) return [];
    const reason = reasonAgainst(statement, world.largeTables);
    return reason === undefined ? [] : [`${statement.login}: ${reason}: ${statement.text.slice(0, 400)}`];
  });
  assert.deepEqual([...new Set(found)], []);
}

for (const operation of operations)
  test(`operation ${operation.path} reads a bounded number of pages for each row`, async () => {
    assertBounded(
      await world.statementsOf(() =>
        world.ask(operation.path, aboutRows(operation.example.request as object)),
      ),
    );
  });

const month = day(40).slice(0, 7);
const oldMonth = day(390).slice(0, 7);
/** Requests for a view, in addition to the example in the reference documentation. */
const more: Readonly<Record<string, readonly object[]>> = {
  payments: [
    {},
    { paymentStatus: "FAIL" },
    { createdFrom: `${day(30)}T00:00:00+00:00`, paymentMethodType: "GCASH" },
    { amountFrom: "1", amountUntil: "1" },
    { search: "order-1001" },
    { search: "12.50" },
  ],
  report: [
    { report: "TRANSACTION_DETAIL", fromDay: day(30), toDay: day(1) },
    { report: "SETTLEMENT_DETAIL", batchId: ids["11"] },
  ],
  statement: [
    { currency: "EUR", month },
    { currency: "EUR", month: oldMonth },
  ],
  statementFile: [
    { currency: "EUR", month, format: "CSV" },
    { currency: "EUR", month: oldMonth, format: "PDF" },
  ],
};

/**
 * Returns the name of a request for a test's title. For a report it is the report's name, to which a seeded bug refers.
 */
function labelOf(request: object): string {
  return "report" in request ? String(request.report) : JSON.stringify(request);
}

for (const view of views)
  for (const request of [aboutRows(view.example.request as object), ...(more[view.name] ?? [])])
    test(`view ${view.name} ${labelOf(request)} reads a bounded number of pages for each row`, async () => {
      assertBounded(await world.statementsOf(() => world.view(view.name, request)));
    });

const reason = ["--reason", "test", "--as", "ada"];
const payment = ids["01"] ?? "";
const exported = ["--client-id", clientId, "--folder", world.folder];
/** Commands that run with other arguments than their first example. */
const commands: Readonly<Record<string, readonly (readonly string[])[]>> = {
  stuck: [[]],
  "payment show": [[payment], ["order-77"]],
  "buyer erase": [["--client-id", clientId, "--payment-id", ids["erased"] ?? "", ...reason]],
  "notification list": [[clientId]],
  "job list": [[]],
  "merchant show": [[clientId]],
  "merchant keys": [[clientId]],
  "payout list": [[clientId]],
  "fee show": [["--client-id", clientId, "--currency", "EUR"]],
  report: [
    ["TRANSACTION_DETAIL", "--from", day(3), "--to", day(1), ...exported],
    ["SETTLEMENT_DETAIL", "--batch-id", ids["11"] ?? "", ...exported],
  ],
  statement: [
    [
      "--client-id",
      clientId,
      "--currency",
      "EUR",
      "--month",
      month,
      "--file",
      `${world.folder}/statement.csv`,
    ],
  ],
  archive: [["--from", archivedMonth, "--before", monthAfterArchived, "--to", world.folder, ...reason]],
};

const uncovered = uncoveredCommands.flatMap(([, names]) => names);
/**
 * All other commands run as in their first help example. They are lists, and commands that change one row by its key.
 */
const byExample = Object.keys(operatorCommands).filter(
  (name) => !(name in commands) && !uncovered.includes(name),
);

test("every exception is about a command, and listed once", () => {
  const named = [...Object.keys(commands), ...uncovered];
  assert.deepEqual(
    named.toSorted(),
    [...new Set(named)].filter((name) => name in operatorCommands).toSorted(),
  );
});

test("every report is covered", () => {
  const example = views.find(({ name }) => name === "report")?.example.request as object;
  assert.deepEqual([example, ...(more["report"] ?? [])].map(labelOf).toSorted(), reportNames.toSorted());
});

for (const name of byExample)
  test(`command ${name} reads a bounded number of pages for each row, called as in its example`, async () => {
    const why = operatorCommands[name]?.acts ? reason : [];
    const words = exampleWords(name, { clientId, paymentId: payment });
    assertBounded(await world.statementsOf(() => world.command(name, [...words, ...why])));
  });

for (const [name, calls] of Object.entries(commands))
  for (const words of calls)
    test(`command ${name} ${words.join(" ")} reads a bounded number of pages for each row`, async () => {
      assert.ok(name in operatorCommands);
      assertBounded(await world.statementsOf(() => world.command(name, words)));
    });

test("search rebuild reads a bounded number of pages for each payment of a batch", async () => {
  assertBounded(await world.statementsOf(() => world.rebuildSearch(2_000)));
});
