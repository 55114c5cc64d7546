import { readBody, type Exchange } from "./exchange.ts";
import { codeLifetimeSecondsDefault, issueCode, type CodeWanted, type IssuedCode } from "./issue-code.ts";
import { page, sendPage } from "./page.ts";
import type { Wallet } from "./wallet.ts";

/** The choices of the form. */
const kinds: ReadonlyMap<string, CodeKind> = new Map([
  ["pays", {}],
  ["asks", { asks: true }],
  ["not-enough-money", { declines: "USER_BALANCE_NOT_ENOUGH" }],
]);

type CodeKind = Pick<CodeWanted, "asks" | "declines">;

/** The page that a buyer shows to the till. Each request issues a new code, as in any wallet. */
export async function answerHolder(wallet: Wallet, { request, response, query }: Exchange): Promise<void> {
  await readBody(request);
  if (request.method !== "GET")
    return sendPage(response, 405, page("Not here", "<h1>This page is only read.</h1>"));
  const wanted = kinds.get(query.get("kind") ?? "pays");
  if (!wanted) return sendPage(response, 400, page("Not clear", "<h1>There is no such kind of code.</h1>"));
  const issued = issueCode(wallet, { lifetimeSeconds: codeLifetimeSecondsDefault, ...wanted });
  await wallet.journal.onDisk();
  return sendPage(response, 200, codePage(issued, wanted));
}

function codePage({ paymentCode, expiryTime }: IssuedCode, { asks, declines }: CodeKind): string {
  const effect = asks
    ? "The wallet will ask before it pays."
    : declines
      ? "There is not enough money behind it."
      : "It pays at once.";
  return page(
    "Payment code",
    `<h1>Show this code at the till</h1>
<p class="code">${paymentCode}</p>
<p class="note">${effect} Good for one payment, until ${expiryTime.slice(11, 19)} UTC.</p>
<form method="get">
<button class="main" name="kind" value="pays">Next code</button>
<button class="wide" name="kind" value="asks">One that asks first</button>
<button class="wide" name="kind" value="not-enough-money">One without money</button>
</form>
<p class="note"><a href="/">Your wallet</a>, where an order that asks is to be found</p>`,
  );
}
