import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommandLine } from "../../../server/src/operators/framework/command-line.ts";
import { formatError } from "../../../server/src/operators/framework/format-error.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { commands } from "../commands.ts";
import { requireReachable } from "../conform/send-request.ts";

/** Command line → its error message, before a gateway is searched for. */
const invalidCommandLines: Readonly<Record<string, RegExp>> = {
  "trigger refund-suceeded": /Did you mean refund-succeeded\? `tollgate trigger --list` lists all\./,
  "pay 12,50": /^12,50 is not an amount: write it like 12\.50\.$/,
  "pay abc": /^abc is not an amount: write it like 12\.50\.$/,
  "pay 12.505": /^EUR has 2 decimals, and not 3\.$/,
  "pay 10 --currency EURO": /^Unknown currency EURO\. Write an ISO 4217 code, such as EUR\.$/,
  "faults duplicat": /^There is no fault duplicat\. Did you mean DUPLICATE\?/,
  "faults DELAY --verb submit": /^--verb is for faults of the provider\./,
  "faults answer-lost --count many": /^--count must be a number from 1 to 999, not many\./,
  "faults DELAY --delay soon": /^--delay must be a duration such as 30s, 15m or 2h, not soon\./,
  "clock yesterday": /^yesterday is not a duration: \+15m/,
  "clock +1h --at 2026-12-24T18:00:00Z": /^Use a duration or --at, not both\./,
  "clock --at noon": /^--at must be a time such as/,
  "listen --forward-to 3000": /^--forward-to needs an address such as/,
  "logs --code ORDER_NOT_EXISTS": /Did you mean ORDER_NOT_EXIST\?/,
  resend: /^Specify one of: /,
  "resend 1 --since 1h": /^Specify one of: /,
  "scenarios USER_BALANCE_ENOUGH":
    /^There is no result code USER_BALANCE_ENOUGH\. Did you mean USER_BALANCE_NOT_ENOUGH\?/,
  "verify --path /notify": /^--headers FILE is missing/,
  "call inquirePayment": /^There is no operation inquirePayment\. Did you mean inquiryPayment\?/,
  "completion powershell": /^There is no completion for powershell\./,
};

test("trigger needs a KIND, unless the kinds are listed", () => {
  assert.throws(
    () => readCommandLine(["trigger"], commands),
    /KIND is missing\. Usage: tollgate trigger KIND\.$/,
  );
  const parsed = readCommandLine(["trigger", "--list"], commands);
  assert.equal(parsed.action, "run");
});

test("a message is printed once, also if its cause has the same message", async () => {
  const parsed = readCommandLine(["pay", "12.505"], commands);
  assert.ok("args" in parsed);
  const error = await commands[parsed.name]?.run(parsed.args).catch((reason: unknown) => reason);
  assert.equal(formatError(error), "EUR has 2 decimals, and not 3.");
});

test("an address at which no program listens gives one sentence", async () => {
  const error: unknown = await requireReachable(new URL("http://127.0.0.1:1")).catch(
    (reason: unknown) => reason,
  );
  assert.equal(
    formatError(error),
    "No server answers at http://127.0.0.1:1 (ECONNREFUSED): start it, then run this command again.",
  );
});

for (const [line, sentence] of Object.entries(invalidCommandLines))
  test(`a wrong command line gets an error message with a suggestion: ${line}`, async () => {
    const parsed = readCommandLine(line.split(" "), commands);
    assert.ok("args" in parsed);
    await assert.rejects(
      async () => commands[parsed.name]?.run(parsed.args),
      (error) => error instanceof UsageError && sentence.test(error.message),
    );
  });
