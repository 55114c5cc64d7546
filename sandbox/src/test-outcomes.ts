import { actRefusal } from "./act.ts";
import { disputeActions } from "./dispute-control.ts";
import { disputeTypes, stateAfter, type Dispute } from "./dispute.ts";
import type { Order } from "./order.ts";
import { escapeHtml } from "./page.ts";
import { refusalCodes } from "./result.ts";
import type { Wallet } from "./wallet.ts";

/** What else can become of an order, apart from what a buyer would do. Buyers are offered a part of it. */
export function testOutcomes(
  wallet: Wallet,
  order: Order,
  { isDeveloper }: { readonly isDeveloper: boolean },
): string {
  const isPayable = !actRefusal(order, "approve", wallet.now());
  const isPaid = order.state === "PAID" || (order.state === "AUTHORIZED" && order.capturedMinor > 0n);
  const forms = [
    isPayable ? simpleOutcomes(order) : "",
    isDeveloper && isPayable ? payableOutcomes : "",
    isDeveloper && (isPayable || isPaid) ? disputeForm(isPaid) : "",
  ].filter((form) => form !== "");
  const notes = isDeveloper ? notesOn(wallet, order) : "";
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

/** The code that people mostly want. */
const usual = "RISK_REJECT";

const payableOutcomes = `<form method="post">
<label>Result code ${resultCodeSelect()}</label>
<button name="choice" value="result-code">Refuse with this code</button>
</form>
<form method="post" class="row">
<label>A slow bank pays after, in seconds <input type="number" name="seconds" value="10" min="0" max="86400" required></label>
<button name="choice" value="approve-later">Pay later</button>
</form>
<form method="post" class="pair">
<button name="choice" value="lose-answer">Pay, lose the answer</button>
<button name="choice" value="pay-twice">Pay twice</button>
<button name="choice" value="expire">Close the order</button>
</form>`;

export function resultCodeSelect(): string {
  const options = refusalCodes.map((code) => `<option${code === usual ? " selected" : ""}>${code}</option>`);
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

/** What a test has ordered for this payment and what has not happened yet. */
function notesOn({ plans, faults, now }: Wallet, { walletOrderId, paymentId }: Order): string {
  // That it will be approved is said above, to everybody.
  const planned = plans
    .of(walletOrderId)
    .filter(({ what }) => what === "dispute")
    .map(({ atMs }) => `It is disputed in ${Math.max(0, Math.ceil((atMs - now()) / 1000))} s.`);
  const faulty = faults
    .list()
    .filter(({ match }) => match.paymentId === paymentId)
    .map(({ kind, count }) => `${kind} strikes ${count === 1 ? "once" : `${count} times`} more.`);
  return [...planned, ...faulty].map((note) => `<p class="note">${note}</p>`).join("");
}

const actWords: Readonly<Record<(typeof disputeActions)[number], string>> = {
  accept: "The shop accepts",
  expire: "Its time is over",
  cancel: "Withdraw it",
  "judge-won": "Judge: the shop wins",
  "judge-lost": "Judge: the shop loses",
  validate: "Papers are in order",
  invalidate: "Papers are not enough",
};

/** A button for each thing that can happen to the dispute now. */
export function disputeActs(dispute: Dispute): string {
  const possible = disputeActions.filter((action) => stateAfter(dispute, action) !== undefined);
  if (possible.length === 0) return "";
  const buttons = possible.map(
    (action) => `<button name="choice" value="${action}">${actWords[action]}</button>`,
  );
  return `<form method="post" class="pair"><input type="hidden" name="dispute" value="${escapeHtml(dispute.walletDisputeId)}">
${buttons.join("\n")}</form>`;
}
