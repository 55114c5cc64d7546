import { sha256 } from "../core/digest.ts";
import { canonical } from "../core/fingerprint.ts";
import { rights, type Right } from "./role.ts";

/** The two-person rule (four eyes): what was asked is confirmed by somebody else who has the right to it. */
export interface Confirmation {
  /** The second person. */
  readonly by: string;
  /** The right that both of them have. */
  readonly right: Right;
  /** What was confirmed, and nothing else: `actDigest`. */
  readonly digest: string;
}

export interface AskedAct {
  readonly act: string;
  /** The merchant; of what is the organisation's own, the organisation. */
  readonly place: string;
  readonly request: unknown;
}

export function actDigest({ act, place, request }: AskedAct): string {
  return sha256(canonical({ act, place, request })).toString("base64url");
}

/** Which rights need a second person, and above which sum in minor units; without sums, always. */
export type SecondPersonRules = ReadonlyMap<Right, ReadonlyMap<string, bigint>>;

/** Reads `keys.change, payments.refund above EUR 50000 JPY 6000000`; throws at what is not of that form. */
export function readSecondPersonRules(text: string): SecondPersonRules {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  return new Map(parts.map(ruleIn));
}

const ruleForm = /^(?<right>[a-z.-]+)(?: above(?<sums>(?: [A-Z]{3} [1-9][0-9]{0,17})+))?$/;

function ruleIn(part: string): readonly [Right, ReadonlyMap<string, bigint>] {
  const { right = "", sums = "" } = ruleForm.exec(part)?.groups ?? {};
  if (!isRight(right)) throw new Error(`"${part}" is no right, such as keys.change.`);
  if (sums !== "" && right !== "payments.refund")
    throw new Error(`"${part}": only payments.refund has a sum.`);
  const pairs = [...sums.matchAll(/([A-Z]{3}) (\d+)/g)];
  return [right, new Map(pairs.map(([, currency = "", sum = ""]) => [currency, BigInt(sum)]))];
}

function isRight(word: string): word is Right {
  return Object.hasOwn(rights, word);
}

/** A sum in a currency that the rule does not name always needs one: nobody has said how much of it is little. */
export function needsSecondPerson(rules: SecondPersonRules, right: Right, request: unknown): boolean {
  const sums = rules.get(right);
  if (!sums) return false;
  const { currency, value } = amountIn(request);
  const most = sums.get(currency);
  return most === undefined || !/^[0-9]{1,18}$/.test(value) || BigInt(value) > most;
}

/** The sum that a person may refund per day without approval, in the currency of this refund; undefined when the rule has none. */
export function dailyRefundLimit(
  rules: SecondPersonRules,
  request: unknown,
): { readonly currency: string; readonly minor: bigint } | undefined {
  const { currency } = amountIn(request);
  const minor = rules.get("payments.refund")?.get(currency);
  return minor === undefined ? undefined : { currency, minor };
}

function amountIn(request: unknown): { readonly currency: string; readonly value: string } {
  const { refundAmount } = (request ?? {}) as { readonly refundAmount?: Readonly<Record<string, unknown>> };
  return { currency: String(refundAmount?.["currency"]), value: String(refundAmount?.["value"]) };
}

export function isConfirmed(
  { sub, confirmed }: { readonly sub: string; readonly confirmed?: Confirmation },
  right: Right,
  asked: AskedAct,
): boolean {
  return (
    confirmed !== undefined &&
    confirmed.by !== sub &&
    confirmed.right === right &&
    confirmed.digest === actDigest(asked)
  );
}

/** The reason for the audit, with whoever has confirmed it: both answer for it. */
export function reasonWith(
  reason: string | undefined,
  confirmed: Confirmation | undefined,
): string | undefined {
  const parts = [reason, confirmed && `Confirmed by ${confirmed.by}.`].filter(Boolean);
  return parts.length > 0 ? parts.join(" ") : undefined;
}
