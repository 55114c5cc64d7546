import { actionRefusal } from "../wallet/apply-action.ts";
import { paidMinorOf } from "../wallet/change-dispute.ts";
import { disputeActions } from "../control/dispute-control.ts";
import { disputeTypes, stateAfter, type Dispute } from "../wallet/dispute.ts";
import type { Order } from "../wallet/order.ts";
import { escapeHtml } from "./page.ts";
import { refusalCodes } from "../wallet/result.ts";
import type { Wallet } from "../wallet/wallet.ts";

/** Test outcomes of an order. Buyers see only a part of them. */
export function testOutcomes(
  wallet: Wallet,
  order: Order,
  { isDeveloper }: { readonly isDeveloper: boolean },
): string {
  const isPayable = !actionRefusal(order, "approve", wallet.now());
  const isPaid = (paidMinorOf(order) ?? 0n) > 0n;
  const forms = [
    isPayable ? simpleOutcomes(order) : "",
    isDeveloper && isPayable ? payableOutcomes : "",
    isDeveloper && (isPayable || isPaid) ? disputeForm(isPaid) : "",
  ].filter((form) => form !== "");
  const notes = isDeveloper ? scheduledNotes(wallet, order) : "";
  if (forms.length === 0 && notes === "") return "";
  return `<h2>Test outcomes</h2>
<section class="card tests">${notes}${forms.join("\n")}</section>`;
}

function simpleOutcomes({ state }: Order): string {
  const later = '<button name="choice" value="pend">Decide later</button>';
  return `<form method="post"${state === "OPEN" ? ' class="pair"' : ""}>
<button name="choice" value="not-enough-money">Not enough money</button>
${state === "OPEN" ? later : ""}
</form>`;
}

/** The default of the list. */
const defaultResultCode = "RISK_REJECT";

const payableOutcomes = `<form method="post">
<label>Result code ${resultCodeSelect()}</label>
<button name="choice" value="result-code">Decline with this code</button>
</form>
<form method="post" class="row">
<label>A slow bank pays after, in seconds <input type="number" name="seconds" value="10" min="0" max="86400" required></label>
<button name="choice" value="approve-later">Pay later</button>
</form>
<form method="post" class="pair">
<button name="choice" value="lose-answer">Pay, lose the callbacks</button>
<button name="choice" value="pay-twice">Pay twice</button>
<button name="choice" value="expire">Close the order</button>
</form>`;

export function resultCodeSelect(): string {
  const options = refusalCodes.map(
    (code) => `<option${code === defaultResultCode ? " selected" : ""}>${code}</option>`,
  );
  return `<select name="resultCode">${options.join("")}</select>`;
}

function disputeForm(isPaid: boolean): string {
  const types = disputeTypes.map((type) => `<option>${type}</option>`);
  return `<form method="post">
<label>Kind of dispute <select name="disputeType">${types.join("")}</select></label>
<label>After, in seconds <input type="number" name="seconds" value="${isPaid ? 0 : 10}" min="0" max="86400" required></label>
<button name="choice" value="dispute-later">${isPaid ? "Dispute it" : "Pay, and dispute it later"}</button>
</form>`;
}

/** Notes about the scheduled outcomes and faults of a payment. */
function scheduledNotes({ plans, faults, now }: Wallet, { providerOrderId, paymentId }: Order): string {
  // A scheduled approval is left out here, because the page shows it above to all viewers.
  const planned = plans
    .plansOf(providerOrderId)
    .filter(({ action }) => action === "dispute")
    .map(({ atMs }) => `It is disputed in ${Math.max(0, Math.ceil((atMs - now()) / 1000))} s.`);
  const faulty = faults
    .list()
    .filter(({ match }) => match.paymentId === paymentId)
    .map(({ kind, count }) => `${kind} strikes ${count === 1 ? "once" : `${count} times`} more.`);
  return [...planned, ...faulty].map((note) => `<p class="note">${note}</p>`).join("");
}

const eventTexts: Readonly<Record<(typeof disputeActions)[number], string>> = {
  accept: "The shop accepts",
  expire: "The deadline passes",
  cancel: "Withdraw it",
  "judge-won": "Judge: the shop wins",
  "judge-lost": "Judge: the shop loses",
  validate: "The evidence is sufficient",
  invalidate: "The evidence is insufficient",
};

/** A button for each event that is possible in the dispute's current state. */
export function disputeEventForm(dispute: Dispute): string {
  const possible = disputeActions.filter((action) => stateAfter(dispute, action) !== undefined);
  if (possible.length === 0) return "";
  const buttons = possible.map(
    (action) => `<button name="choice" value="${action}">${eventTexts[action]}</button>`,
  );
  return `<form method="post" class="pair"><input type="hidden" name="dispute" value="${escapeHtml(dispute.providerDisputeId)}">
${buttons.join("\n")}</form>`;
}
