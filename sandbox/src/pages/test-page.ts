import { isDeveloper as isDevelopers, isCrossSite } from "../developer.ts";
import { orderEntry, section } from "./list-entries.ts";
import { readBody, type Exchange } from "../exchange.ts";
import { readFault } from "../control/fault-control.ts";
import { faultKinds, faultOutcomes, faultVerbs, refusals, type Fault } from "../wallet/faults.ts";
import { isWaiting } from "../wallet/order.ts";
import { escapeHtml, page, pageHeaders, sendMessagePage, sendPage } from "./page.ts";
import { resultCodeSelect } from "./test-outcomes.ts";
import type { Wallet } from "../wallet/wallet.ts";

/** Payment codes with an outcome for all visitors; orders and faults for the developer of this machine. */
export async function handleTestPage(
  wallet: Wallet,
  { request, response }: Exchange,
  { listsOrders }: { readonly listsOrders: boolean },
): Promise<void> {
  const body = await readBody(request);
  const isDeveloper = isDevelopers(request, listsOrders);
  if (request.method === "GET" || request.method === "HEAD")
    return sendPage(response, 200, testPage(wallet, isDeveloper));
  if (request.method !== "POST" || !isDeveloper)
    return sendMessagePage(response, 405, "Method not allowed", "This page accepts only GET.");
  if (isCrossSite(request))
    return sendMessagePage(
      response,
      403,
      "Request rejected",
      "Faults can only be set on the wallet’s own page.",
    );
  const problem = applyForm(wallet, new URLSearchParams(body?.toString("utf8")));
  if (problem !== undefined) return sendMessagePage(response, 400, "Invalid choice", problem);
  response.writeHead(303, { ...pageHeaders, location: "/test" });
  response.end();
}

/** Sets a fault, or cancels all; returns an error message if the form is invalid. */
function applyForm({ faults }: Wallet, form: URLSearchParams): string | undefined {
  if (form.get("choice") === "clear") {
    faults.clear();
    return undefined;
  }
  if (form.get("choice") !== "fault") return "This choice does not exist.";
  const [paymentId, verb] = [form.get("paymentId")?.trim(), form.get("verb")];
  const fault = readFault({
    kind: form.get("kind"),
    count: Number(form.get("count") ?? 1),
    delayMs: Number(form.get("delayMs") ?? 0),
    outcome: form.get("outcome") ?? undefined,
    resultCode: form.get("resultCode") ?? undefined,
    match: { ...(paymentId && { paymentId }), ...(verb && { verb }) },
  });
  if (typeof fault === "string") return fault;
  faults.add(fault);
  return undefined;
}

function testPage(wallet: Wallet, isDeveloper: boolean): string {
  return page(
    "Test",
    `<h1>Test outcomes</h1>
<p class="note">Simulates rare behaviour of buyers, banks and networks.</p>
<h2>A payment code with an outcome</h2>
<section class="card">
<form method="get" action="/codes">
<input type="hidden" name="kind" value="declines">
<label>The wallet declines it with ${resultCodeSelect()}</label>
<button>Show this code</button>
</form></section>
${isDeveloper ? developerSection(wallet) : visitorNote}`,
    { tab: "test", ...(isDeveloper && { poll: { href: "/news", version: String(wallet.lineCount()) } }) },
  );
}

const visitorNote =
  '<p class="note">Orders and faults are shown only on the wallet’s own machine, if it runs with --list-orders.</p>';

function developerSection({ projection, faults, now }: Wallet): string {
  const open = projection
    .orders()
    .toReversed()
    .filter((order) => isWaiting(order, now()));
  return `<div id="live">${section(
    "Orders to decide",
    open.map((order) => orderEntry(order, now())),
    "No order is open. The page of each order has its outcomes.",
  )}
${section("Pending faults", faults.list().map(faultItem), "None.")}
${faults.list().length === 0 ? "" : clearFaultsForm}</div>
<h2>Set a fault</h2>
<section class="card">${faultForm}</section>`;
}

const clearFaultsForm =
  '<form method="post" class="after"><button name="choice" value="clear">Cancel all faults</button></form>';

function faultItem({ kind, count, delayMs, match }: Fault): string {
  const parts = [
    match.verb ?? "any call",
    match.paymentId ?? "any payment",
    count === 1 ? "once" : `${count} times`,
    delayMs > 0 ? `${delayMs} ms` : "",
  ];
  const about = parts.filter((part) => part !== "").join(", ");
  return `<li><span>${kind}</span><br><small class="soft">${escapeHtml(about)}</small></li>`;
}

function options(values: readonly string[]): string {
  return values.map((value) => `<option>${value}</option>`).join("");
}

const faultForm = `<form method="post">
<label>Fault <select name="kind">${options(faultKinds)}</select></label>
<label>Call <select name="verb"><option value="">any</option>${options(faultVerbs)}</select></label>
<label>Payment (optional) <input name="paymentId" autocomplete="off" spellcheck="false"></label>
<label>How often <input type="number" name="count" value="1" min="1" required></label>
<label>Delay in milliseconds <input type="number" name="delayMs" value="0" min="0" required></label>
<label>Outcome after the delay, for a pending operation <select name="outcome">${options(faultOutcomes)}</select></label>
<label>Reason, for refuse and a failed operation <select name="resultCode">${options(refusals)}</select></label>
<button name="choice" value="fault">Set the fault</button>
</form>`;
