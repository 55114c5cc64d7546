import { barsPicture } from "./code-128.ts";
import { readBody, type Exchange } from "../exchange.ts";
import {
  codeLifetimeSecondsDefault,
  issueCode,
  type CodeRequest,
  type IssuedCode,
} from "../wallet/issue-code.ts";
import { escapeHtml, page, sendMessagePage, sendPage } from "./page.ts";
import { hashOfCode } from "../wallet/payment-code.ts";
import { qrPicture } from "./qr-picture.ts";
import { isRefusal } from "../wallet/result.ts";
import type { Wallet } from "../wallet/wallet.ts";

/** The choices of the form. */
const codeKinds: ReadonlyMap<string, CodeKind> = new Map([
  ["pays", {}],
  ["asks", { asks: true }],
  ["not-enough-money", { declines: "USER_BALANCE_NOT_ENOUGH" }],
]);

type CodeKind = Pick<CodeRequest, "asks" | "declines">;

/** The page that a buyer shows at the point of sale. Each request issues a new code, as in any wallet. */
export async function handleCodePage(wallet: Wallet, { request, response, query }: Exchange): Promise<void> {
  await readBody(request);
  if (request.method !== "GET")
    return sendMessagePage(response, 405, "Method not allowed", "This page accepts only GET.");
  const codeKind = readCodeKind(query);
  if (!codeKind) return sendMessagePage(response, 400, "Invalid choice", "There is no such kind of code.");
  const issued = issueCode(wallet, { lifetimeSeconds: codeLifetimeSecondsDefault, ...codeKind });
  await wallet.journal.onDisk();
  return sendPage(response, 200, codePage(issued, codeKind));
}

function readCodeKind(query: URLSearchParams): CodeKind | undefined {
  const kind = query.get("kind") ?? "pays";
  if (kind !== "declines") return codeKinds.get(kind);
  const declines = query.get("resultCode") ?? "";
  return isRefusal(declines) ? { declines } : undefined;
}

function codePage({ paymentCode, expiryTime }: IssuedCode, kind: CodeKind): string {
  return page(
    "Payment code",
    `<h1>Show this code in the shop</h1>
<p class="note">${describeEffect(kind)} Valid for one payment, until ${expiryTime.slice(11, 19)} UTC.</p>
<div class="pictures">
${barsPicture(paymentCode, "Bar code of the payment code")}
<p class="digits"><data value="${paymentCode}">${groupDigits(paymentCode)}</data></p>
${qrPicture(paymentCode, "QR code of the payment code")}
</div>
${countdownRing(codeLifetimeSecondsDefault)}
<form class="pair" method="get">
<button class="main" name="kind" value="pays">Next code</button>
<button type="button" data-copy="${paymentCode}" hidden>Copy</button>
<button name="kind" value="asks">Code with approval</button>
<button name="kind" value="not-enough-money">Code without money</button>
</form>
<p class="ways"><a class="button" href="/scan">Scan a code</a><a class="button" href="/test">Other outcomes</a></p>`,
    {
      tab: "pay",
      refreshSeconds: codeLifetimeSecondsDefault,
      poll: { href: `/news?code=${pollKeyOf(paymentCode)}` },
    },
  );
}

/**
 * The hash of a code in base64url. A program that searches for 24 digits could mistake hexadecimal digits for a code.
 */
function pollKeyOf(paymentCode: string): string {
  return Buffer.from(hashOfCode(paymentCode), "hex").toString("base64url");
}

function describeEffect({ asks, declines }: CodeKind): string {
  if (asks) return "The wallet will ask for approval before it pays.";
  if (declines === undefined) return "It pays at once.";
  if (declines === "USER_BALANCE_NOT_ENOUGH") return "The account of this code does not have enough money.";
  return `The wallet declines it with ${escapeHtml(declines)}.`;
}

function groupDigits(digits: string): string {
  return digits.replaceAll(/\d{4}(?=\d)/g, "$& ");
}

/** The script animates the ring, and then loads the next code. */
function countdownRing(seconds: number): string {
  const circle = '<circle cx="24" cy="24" r="21"';
  return `<div class="timer"><svg class="ring" data-seconds="${seconds}" viewBox="0 0 48 48" width="44" height="44" aria-hidden="true">
${circle}/>${circle} class="left" pathLength="${seconds}" stroke-dasharray="${seconds}" stroke-dashoffset="0"/></svg>
<p class="note">A new one in <span class="remaining">${seconds} s</span></p></div>`;
}
