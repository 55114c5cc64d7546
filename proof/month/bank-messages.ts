import { storeMessage } from "../../server/test/bank/bank-folder.ts";
import type { BankMessage, PayoutEvent } from "../../server/test/bank/bank-delivery.ts";
import type { Month } from "./month-state.ts";
import { monthBank } from "./month-installation.ts";

/**
 * Imports the bank's messages of a day like an operator: each statement for the ledger, and each message for its
 * payouts.
 */
export async function importBankMessages(month: Month, day: string): Promise<void> {
  const { installation, bank, misses } = month;
  for (const message of bank.endDay(day)) {
    const file = storeMessage(installation.folder, message);
    if (message.isContradictory) {
      // `bank import` must reject a statement with a known id and other entries. The operator then asks the bank.
      const refusal = await installation.tryOperate("bank", "import", file, "--bank", monthBank);
      if (!refusal?.includes("with other entries or balances"))
        misses.push(`${day}: bank import does not reject ${message.name}: ${refusal?.slice(0, 300)}`);
      continue;
    }
    const imports = [
      ...(message.kind === "camt.053" ? [["bank", "import", file, "--bank", monthBank]] : []),
      ["payout", "import", file],
    ];
    // Two operators import at the same time: one imports statements for the ledger, the other imports messages for the
    // payouts.
    const problems = await Promise.all(imports.map((args) => installation.tryOperate(...args)));
    for (const [nth, problem] of problems.entries())
      if (problem !== undefined)
        misses.push(`${day}: ${imports[nth]?.[0]} import refuses ${message.name}: ${problem.slice(0, 300)}`);
    expectMessage(month, message);
  }
}

/**
 * `expectMessage` adds the changes by a bank message to the expected ledger, according to the bank's own records. A
 * repeated message changes nothing.
 */
function expectMessage(month: Month, { events, statements, bookings }: BankMessage): void {
  const { ledger, statementAmounts, reportedBookings } = month;
  for (const booking of bookings) if (booking.endToEndId !== undefined) reportedBookings.add(booking);
  for (const { statementId, currency, minor } of statements) {
    const previous = statementAmounts.get(statementId) ?? 0n;
    statementAmounts.set(statementId, minor);
    ledger.move(`bank ${monthBank}`, "clearing", currency, minor - previous);
  }
  for (const event of events) expectEvent(month, event);
}

function expectEvent({ payouts, ledger, counts }: Month, { endToEndId, event }: PayoutEvent): void {
  const payout = payouts.get(endToEndId);
  if (!payout) return;
  const { clientId, currency, minor, batch } = payout;
  const [payableAccount, transitAccount] = [`merchant payable ${clientId}`, `payout in transit ${clientId}`];
  const markDueAgain = (): void => {
    if (batch) batch.isInPayout = false;
  };
  if (payout.state === "sent" && event === "rejected") {
    ledger.move(transitAccount, payableAccount, currency, minor);
    payout.state = "rejected";
    counts.rejected += 1;
    markDueAgain();
  }
  if (payout.state === "sent" && event !== "rejected") {
    ledger.move(transitAccount, "clearing", currency, minor);
    payout.state = "paid";
  }
  if (payout.state === "paid" && event === "returned") {
    ledger.move("clearing", payableAccount, currency, minor);
    payout.state = "returned";
    counts.returned += 1;
    markDueAgain();
  }
}
