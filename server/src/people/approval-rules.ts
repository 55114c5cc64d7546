import { sha256 } from "../core/digest.ts";
import { canonicalJson } from "../core/fingerprint.ts";
import { permissions, type Permission } from "./role.ts";

/** The four-eyes principle: a request is confirmed by another person with the same permission. */
export interface Confirmation {
  /** The person who confirmed it. */
  readonly by: string;
  /** The permission that both people have. */
  readonly permission: Permission;
  /** `actDigest` of the confirmed request. */
  readonly digest: string;
}

export interface ApprovalRequest {
  readonly act: string;
  /** Where the request applies: the merchant, or the organisation for requests about the organisation itself. */
  readonly place: string;
  readonly request: unknown;
}

export function actDigest({ act, place, request }: ApprovalRequest): string {
  return sha256(canonicalJson({ act, place, request })).toString("base64url");
}

/**
 * Permissions that need a confirmation, and the amounts in minor units above which they do; without amounts, always.
 */
export type ApprovalRules = ReadonlyMap<Permission, ReadonlyMap<string, bigint>>;

/** Parses `keys.change, payments.refund above EUR 50000 JPY 6000000`; throws if the text is invalid. */
export function parseApprovalRules(text: string): ApprovalRules {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  return new Map(parts.map(parseRule));
}

const rulePattern = /^(?<permission>[a-z.-]+)(?: above(?<sums>(?: [A-Z]{3} [1-9][0-9]{0,17})+))?$/;

function parseRule(part: string): readonly [Permission, ReadonlyMap<string, bigint>] {
  const { permission = "", sums = "" } = rulePattern.exec(part)?.groups ?? {};
  if (!isPermission(permission)) throw new Error(`"${part}" is not a permission, such as keys.change.`);
  if (sums !== "" && permission !== "payments.refund")
    throw new Error(`"${part}": only payments.refund can have an amount.`);
  const pairs = [...sums.matchAll(/([A-Z]{3}) (\d+)/g)];
  return [permission, new Map(pairs.map(([, currency = "", sum = ""]) => [currency, BigInt(sum)]))];
}

function isPermission(value: string): value is Permission {
  return Object.hasOwn(permissions, value);
}

/**
 * An amount in a currency that the rule does not name always needs a confirmation, because the rule has no limit for
 * it.
 */
export function isApprovalRequired(rules: ApprovalRules, permission: Permission, request: unknown): boolean {
  const limits = rules.get(permission);
  if (!limits) return false;
  const { currency, value } = refundAmountOf(request);
  const limitMinor = limits.get(currency);
  return limitMinor === undefined || !/^[0-9]{1,18}$/.test(value) || BigInt(value) > limitMinor;
}

/**
 * The sum of refunds that a person may make per day without approval, in the currency of this refund; undefined if the
 * rule has no such sum.
 */
export function dailyRefundLimit(
  rules: ApprovalRules,
  request: unknown,
): { readonly currency: string; readonly minor: bigint } | undefined {
  const { currency } = refundAmountOf(request);
  const minor = rules.get("payments.refund")?.get(currency);
  return minor === undefined ? undefined : { currency, minor };
}

function refundAmountOf(request: unknown): { readonly currency: string; readonly value: string } {
  const { refundAmount } = (request ?? {}) as { readonly refundAmount?: Readonly<Record<string, unknown>> };
  return { currency: String(refundAmount?.["currency"]), value: String(refundAmount?.["value"]) };
}

export function isConfirmed(
  { sub, confirmed }: { readonly sub: string; readonly confirmed?: Confirmation },
  permission: Permission,
  approvalRequest: ApprovalRequest,
): boolean {
  return (
    confirmed !== undefined &&
    confirmed.by !== sub &&
    confirmed.permission === permission &&
    confirmed.digest === actDigest(approvalRequest)
  );
}

/** Returns the audit reason with the person who confirmed the act, because both are responsible. */
export function auditReason(
  reason: string | undefined,
  confirmed: Confirmation | undefined,
): string | undefined {
  const parts = [reason, confirmed && `Confirmed by ${confirmed.by}.`].filter(Boolean);
  return parts.length > 0 ? parts.join(" ") : undefined;
}
