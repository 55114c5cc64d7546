import { isDeveloper as isDevelopers, isFromElsewhere } from "./developer.ts";
import { orderEntry, section } from "./entries.ts";
import { readBody, type Exchange } from "./exchange.ts";
import { readFault } from "./fault-control.ts";
import { faultKinds, faultVerbs, refusals, type Fault } from "./faults.ts";
import { isWaiting } from "./order.ts";
import { escapeHtml, page, pageHeaders, sendNote, sendPage } from "./page.ts";
import { resultCodeSelect } from "./test-outcomes.ts";
import type { Wallet } from "./wallet.ts";

/** Codes with an outcome for everybody; orders and faults for the one person whose machine this is. */
export async function answerTester(
  wallet: Wallet,
  { request, response }: Exchange,
  { listsOrders }: { readonly listsOrders: boolean },
): Promise<void> {
  const body = await readBody(request);
  const isDeveloper = isDevelopers(request, listsOrders);
  if (request.method === "GET" || request.method === "HEAD")
    return sendPage(response, 200, testPage(wallet, isDeveloper));
  if (request.method !== "POST" || !isDeveloper)
    return sendNote(response, 405, "Not here", "This page is only read.");
  if (isFromElsewhere(request))
    return sendNote(response, 403, "Not from there", "Faults are set on the wallet’s own page.");
  const problem = change(wallet, new URLSearchParams(body?.toString("utf8")));
  if (problem !== undefined) return sendNote(response, 400, "Not clear", problem);
  response.writeHead(303, { ...pageHeaders, location: "/test" });
  response.end();
}

/** Sets a fault, or calls all of them off; says what is wrong. */
function change({ faults }: Wallet, form: URLSearchParams): string | undefined {
  if (form.get("choice") === "clear") {
    faults.clear();
    return undefined;
  }
  if (form.get("choice") !== "fault") return "That is none of the choices.";
  const [paymentId, verb] = [form.get("paymentId")?.trim(), form.get("verb")];
  const fault = readFault({
    kind: form.get("kind"),
    count: Number(form.get("count") ?? 1),
    delayMs: Number(form.get("delayMs") ?? 0),
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
<p class="note">Everything that buyers, banks and lines do now and then, whenever you want it.</p>
<h2>A payment code with an outcome</h2>
<section class="card">
<form method="get" action="/codes">
<input type="hidden" name="kind" value="declines">
<label>The wallet declines it with ${resultCodeSelect()}</label>
<button>Show such a code</button>
</form></section>
${isDeveloper ? developersPart(wallet) : othersNote}`,
    { tab: "test", ...(isDeveloper && { news: { href: "/news", version: String(wallet.lineCount()) } }) },
  );
}

const othersNote =
  '<p class="note">Orders and faults are for who works on the wallet’s own machine, where it runs with --list-orders.</p>';

function developersPart({ book, faults, now }: Wallet): string {
  const open = book
    .orders()
    .toReversed()
    .filter((order) => isWaiting(order, now()));
  return `<div id="live">${section(
    "Orders to decide",
    open.map((order) => orderEntry(order, now())),
    "No order is open. Outcomes are on the page of each.",
  )}
${section("Faults that wait", faults.list().map(faultItem), "None. The wallet works as it should.")}
${faults.list().length === 0 ? "" : callOff}</div>
<h2>Set a fault</h2>
<section class="card">${faultForm}</section>`;
}

const callOff =
  '<form method="post" class="after"><button name="choice" value="clear">Call all of them off</button></form>';

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
<label>Payment, if it is for one <input name="paymentId" autocomplete="off" spellcheck="false"></label>
<label>How often <input type="number" name="count" value="1" min="1" required></label>
<label>Delay in milliseconds <input type="number" name="delayMs" value="0" min="0" required></label>
<label>Reason, of the fault refuse <select name="resultCode">${options(refusals)}</select></label>
<button name="choice" value="fault">Set the fault</button>
</form>`;
