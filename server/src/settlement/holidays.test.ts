import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ourBank, newSettlementFixture } from "../../test/examples/settlement-fixture.ts";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import { accountingDayOf } from "../core/accounting-day.ts";
import { addDays, businessDayAfter } from "./batch.ts";
import { findStoredHolidays, setHolidays } from "./holidays.workflow.ts";
import { runPayouts } from "./payouts/run-payouts.workflow.ts";
import { closeSettlement } from "./close-settlement.workflow.ts";

const { database } = await prepareTestGateway("sandbox");
const fixture = newSettlementFixture(database);
const { operator } = fixture;
const set = (year: string, ...days: readonly string[]): Promise<unknown> =>
  setHolidays(operator, { currency: "EUR", year, days });

test("setting a year replaces its list, and other years and currencies stay unchanged", async () => {
  await set("2024", "2024-12-25", "2024-05-01", "2024-05-01");
  await set("2025", "2025-12-25");
  await setHolidays(operator, { currency: "PHP", year: "2024", days: ["2024-06-12"] });
  await set("2024", "2024-12-26");
  assert.deepEqual(
    (await findStoredHolidays(operator, undefined)).map(({ currency, day }) => `${currency} ${day}`),
    ["EUR 2024-12-26", "EUR 2025-12-25", "PHP 2024-06-12"],
  );
  const noted = await fixture.rows(
    "select before, after from audit where act = 'holiday set' and subject = 'EUR 2024'",
  );
  assert.deepEqual(noted.at(-1), {
    before: { days: ["2024-05-01", "2024-12-25"] },
    after: { days: ["2024-12-26"] },
  });
});

test("an unknown currency, an invalid year and a day outside the year are rejected", async () => {
  await assert.rejects(
    setHolidays(operator, { currency: "EURO", year: "2027", days: [] }),
    /is not a currency code/,
  );
  await assert.rejects(set("27"), /is not a year/);
  await assert.rejects(set("2027", "2028-01-01"), /2028-01-01 is not a day of 2027/);
  await assert.rejects(set("2027", "2027-02-29"), /2027-02-29/);
});

test("the due day of a batch skips its currency's holidays, and a closed batch keeps its day", async () => {
  const clientId = await fixture.openMerchant({ terms: { daysAfter: 1 } });
  const dueOf = (day: string): Promise<readonly object[]> =>
    fixture.rows(
      "select due_day::text as due from settlement_batches where client_id = $1 and to_day = $2",
      clientId,
      day,
    );
  await fixture.postPayment(clientId, 500n, "2026-04-01T10:00:00Z");
  await closeSettlement(operator, { day: "2026-04-01" });
  // Good Friday and Easter Monday.
  await set("2026", "2026-04-03", "2026-04-06", "2026-04-02");
  await setHolidays(operator, { currency: "PHP", year: "2026", days: ["2026-04-07"] });
  await fixture.postPayment(clientId, 500n, "2026-04-02T10:00:00Z");
  await closeSettlement(operator, { day: "2026-04-02" });
  assert.deepEqual(await dueOf("2026-04-01"), [{ due: "2026-04-02" }]);
  assert.deepEqual(await dueOf("2026-04-02"), [{ due: "2026-04-07" }]);
});

test("a file's execution day is a business day, and stays when holidays change", async () => {
  await fixture.openBank();
  const clientId = await fixture.openMerchant();
  await fixture.postPayment(clientId, 700n, "2026-03-02T10:00:00Z");
  await closeSettlement(operator, { day: "2026-03-02" });
  const today = accountingDayOf(new Date());
  // The holidays are today and tomorrow, so that the test does not depend on the day.
  const holidays = [today, addDays(today, 1)].filter((day) => day.startsWith(today.slice(0, 4)));
  await set(today.slice(0, 4), ...holidays);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-holidays-"));
  const payoutRun = { bank: ourBank, folder, format: "pain.001.001.09" } as const;
  const killed = runPayouts(operator, payoutRun, (point) => {
    if (point === "after-file-commit") throw new Error("killed");
  });
  await assert.rejects(killed, /killed/);
  // The planned file keeps its execution day, although the holidays change before the file is handed over.
  await set(today.slice(0, 4));
  const { files } = await runPayouts(operator, payoutRun);
  const expected = businessDayAfter(today, 0, new Set(holidays));
  assert.match(readFileSync(files[0]?.path ?? "", "utf8"), new RegExp(`<ReqdExctnDt><Dt>${expected}</Dt>`));
});
