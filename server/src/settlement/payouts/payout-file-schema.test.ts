import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { violationsOf, validatorMissing } from "../../../test/bank/payout-schema.ts";
import { payoutFileFor } from "../../../test/bank/random-payout-file.ts";
import { payoutFormats, writePayoutFile } from "./payout-file.ts";

const skip = { skip: validatorMissing };
const seed = 20_261_118;
const fileCount = 1_000;

for (const format of payoutFormats)
  test(`${fileCount} random payout files are valid by the schema of ${format}`, skip, () => {
    const files = fc.sample(payoutFileFor(format), { numRuns: fileCount, seed }).map(writePayoutFile);
    assert.equal(files.length, fileCount);
    const violations = violationsOf(files);
    assert.equal(violations.length, fileCount);
    const [first] = violations.flatMap((each, index) =>
      each === null ? [] : [`${each}\n${files[index] ?? ""}`],
    );
    assert.equal(first, undefined);
  });

test("the schemas reject each of these violations", skip, () => {
  for (const format of payoutFormats) {
    const [file] = fc.sample(payoutFileFor(format), { numRuns: 1, seed });
    assert.ok(file);
    const text = writePayoutFile(file);
    const violating = [
      text.replace(/<MsgId>[^<]*</, `<MsgId>${"1".repeat(36)}<`),
      text.replace(/<EndToEndId>[^<]*</, "<EndToEndId><"),
      text.replace(/(<PmtMtd>TRF<\/PmtMtd>)(<BtchBookg>false<\/BtchBookg>)/, "$2$1"),
      text.replace(/<InstdAmt Ccy="...">/, "<InstdAmt>"),
      text.replace("<ChrgBr>", "<ChrgBr>X"),
      text.replace(/<IBAN>/, "<IBAN>x"),
      text.replace(/<Cdtr>[\s\S]*?<\/Cdtr>/, (creditor) => creditor + creditor),
      text.replace(/<CreDtTm>[^<]*</, "<CreDtTm>2026-11-31T00:00:00Z<"),
      text.replaceAll(format, format.endsWith("09") ? "pain.001.001.03" : "pain.001.001.09"),
    ];
    for (const each of violating) assert.notEqual(each, text);
    violationsOf(violating).forEach((violation, index) => assert.notEqual(violation, null, violating[index]));
  }
});
