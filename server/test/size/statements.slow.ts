import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { operations } from "../../src/catalog/operations.ts";
import { views } from "../../src/catalog/views.ts";
import { operatorCommands } from "../../src/processes/operator-commands.ts";
import { reportNames } from "../../src/reports/report.ts";
import { exampleArguments } from "../examples/example-arguments.ts";
import { boundedStatements, unboundedStatements, uncoveredCommands } from "./exceptions.ts";
import { oldDays, startLargeGateway, type FillHooks } from "./large-gateway.ts";
import { archivedMonth, dayAgo as day, measureSize, monthAfterArchived } from "./measurements.ts";
import { unboundedReason, type RecordedStatement } from "./recorded-plans.ts";

/**
 * Runs every operation, view, report page and command on a database with many payments, under row-level security, with
 * its own login. Each statement must read a bounded number of pages for each row that it returns or changes, and its
 * index conditions must include more than a bucket.
 */
const gateway = await startLargeGateway(
  {
    payments: Number(process.env["TOLLGATE_SIZE_PAYMENTS"] ?? 200_000),
    requestLogRows: Number(process.env["TOLLGATE_SIZE_LOG_ROWS"] ?? 100_000),
    smallMerchants: 3_000,
  },
  measuringSteps(process.env["TOLLGATE_SIZE_FIGURES"]),
);
const { ids, clientId } = gateway;

/** The evidence run (proof/size.ts) passes a file name for the figures. */
function measuringSteps(figuresFile: string | undefined): FillHooks | undefined {
  if (figuresFile === undefined) return undefined;
  const say = (line: string): void => void process.stdout.write(`size: ${line}\n`);
  return {
    report: say,
    async measure(filled) {
      writeFileSync(figuresFile, JSON.stringify(await measureSize(filled, say)));
    },
  };
}

/**
 * Returns an example of the reference documentation with existing data: ids of the huge merchant, and days that have
 * payments.
 */
function withExistingRows(example: object): object {
  const text = JSON.stringify(example)
    .replaceAll(/\d{21}(\d{2})\d{12}/g, (id, kind: string) => ids[kind] ?? id)
    .replaceAll(/20\d\d-\d\d-\d\d/g, day(2))
    .replaceAll(/20\d\d-\d\d(?=")/g, day(2).slice(0, 7));
  return JSON.parse(text) as object;
}

function assertBounded(statements: readonly RecordedStatement[]): void {
  const found = statements.flatMap((statement) => {
    const knownStatements = [...unboundedStatements, ...boundedStatements];
    if (knownStatements.some(([text]) => statement.text.startsWith(text))) return [];
    const reason = unboundedReason(statement, gateway.largeTables);
    return reason === undefined ? [] : [`${statement.login}: ${reason}: ${statement.text.slice(0, 400)}`];
  });
  assert.deepEqual([...new Set(found)], []);
}

for (const operation of operations)
  test(`operation ${operation.path} reads a bounded number of pages for each row`, async () => {
    assertBounded(
      await gateway.statementsOf(() =>
        gateway.request(operation.path, withExistingRows(operation.example.request as object)),
      ),
    );
  });

const month = day(40).slice(0, 7);
const oldMonth = day(oldDays).slice(0, 7);
/** Requests for a view, in addition to the example in the reference documentation. */
const extraRequests: Readonly<Record<string, readonly object[]>> = {
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
  for (const request of [
    withExistingRows(view.example.request as object),
    ...(extraRequests[view.name] ?? []),
  ])
    test(`view ${view.name} ${labelOf(request)} reads a bounded number of pages for each row`, async () => {
      assertBounded(await gateway.statementsOf(() => gateway.view(view.name, request)));
    });

const reason = ["--reason", "test", "--as", "ada"];
const payment = ids["01"] ?? "";
const exported = ["--client-id", clientId, "--folder", gateway.folder];
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
      `${gateway.folder}/statement.csv`,
    ],
  ],
  archive: [["--from", archivedMonth, "--before", monthAfterArchived, "--to", gateway.folder, ...reason]],
};

const uncovered = uncoveredCommands.flatMap(([, names]) => names);
/**
 * All other commands run as in their first help example. They are lists, and commands that change one row by its key.
 */
const exampleCommands = Object.keys(operatorCommands).filter(
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
  assert.deepEqual(
    [example, ...(extraRequests["report"] ?? [])].map(labelOf).toSorted(),
    reportNames.toSorted(),
  );
});

for (const name of exampleCommands)
  test(`command ${name} reads a bounded number of pages for each row, called as in its example`, async () => {
    const reasonOptions = operatorCommands[name]?.auditLabel ? reason : [];
    const commandArguments = exampleArguments(name, { clientId, paymentId: payment });
    assertBounded(
      await gateway.statementsOf(() => gateway.command(name, [...commandArguments, ...reasonOptions])),
    );
  });

for (const [name, calls] of Object.entries(commands))
  for (const commandArguments of calls)
    test(`command ${name} ${commandArguments.join(" ")} reads a bounded number of pages for each row`, async () => {
      assert.ok(name in operatorCommands);
      assertBounded(await gateway.statementsOf(() => gateway.command(name, commandArguments)));
    });

test("search rebuild reads a bounded number of pages for each payment of a batch", async () => {
  assertBounded(await gateway.statementsOf(() => gateway.rebuildSearch(2_000)));
});
