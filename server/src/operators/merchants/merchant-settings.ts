import { createHash } from "node:crypto";
import { changedFields } from "../../audit/audit.ts";
import { bucketOf } from "../../core/bucket.ts";
import { coversAllPayments, rulesInEffect, type FeeRule } from "../../ledger/fee-rule.ts";
import { isAllowedWebhookUrl, webhookPathRule } from "../../merchants/url-rules.ts";
import type { Client, ClientChange, ListedClient } from "../../merchants/client.ts";
import { listClients, updateClient } from "../../merchants/client.sql.ts";
import {
  deleteNotifyUrl,
  insertNotifyUrl,
  listEndpoints,
  type Endpoints,
} from "../../notifications/endpoint.sql.ts";
import { systemScope } from "../../postgres/database.ts";
import type { Environment } from "../../postgres/migrate.ts";
import type { Tx } from "../../postgres/sql.ts";
import { findOpenHold, type OpenHold } from "../../settlement/payouts/payout-hold.sql.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { ruleStartText, feeText } from "../ledger/fee-rules.ts";
import { requireClient, rejectInvalidSchemes } from "./merchant.ts";
import { formatUtcTime, formatTextTable } from "../../formats/text-table.ts";

/** A merchant's settings for operators, without its keys and payments. */
export interface MerchantDetails
  extends Omit<Client, "bucket" | "publicKeys" | "revision" | "feeRules" | "atProviders">, Endpoints {
  /** Versions of the merchant's keys that are not revoked. */
  readonly keyVersions: readonly number[];
  /** Fee rules that apply to the merchant's payments now, the most specific first. */
  readonly feeRules: readonly FeeRule[];
  /** Whether some payments have no fee rule and use `feeBasisPoints`. */
  readonly isPlainRateUsed: boolean;
  /** The merchant's accounts at payment providers, for new orders. */
  readonly providerAccounts: readonly { readonly connector: string; readonly account: string }[];
  /** The hold on the merchant's payouts; absent if there is none. A suspended merchant is not paid either. */
  readonly payoutHold: OpenHold | undefined;
}

/** Default webhook address of one kind; an empty address removes it. */
export interface NotifyAddress {
  readonly kind: string;
  readonly url: string;
}

export interface ChangedMerchant {
  readonly before: MerchantDetails;
  readonly after: MerchantDetails;
}

export async function listMerchants({ url, environment }: Operator): Promise<readonly ListedClient[]> {
  return queryAsOwner(url, environment, systemScope, listClients);
}

export async function findMerchant(
  { url, environment }: Operator,
  clientId: string,
): Promise<MerchantDetails> {
  return queryAsOwner(url, environment, [clientId], (tx) => findDetails(tx, clientId));
}

/** `changeMerchant` changes the given settings. All processes apply them within a second. */
export async function changeMerchant(
  operator: Operator,
  clientId: string,
  change: ClientChange,
  notify?: NotifyAddress,
): Promise<ChangedMerchant> {
  if (change.linkSchemes) rejectInvalidSchemes(change.linkSchemes);
  if (notify) rejectInvalidAddress(notify.url, operator.environment);
  return actAsOwner(operator, [clientId], async (tx) => {
    const before = await findDetails(tx, clientId);
    await updateClient(tx, clientId, change);
    if (notify) setAddress(tx, clientId, notify);
    const after = await findDetails(tx, clientId);
    const act = change.status === undefined ? "merchant set" : statusActs[change.status];
    const changes = changedFields(auditFieldsOf(before), auditFieldsOf(after));
    return { value: { before, after }, audit: { act, subject: clientId, clientId, ...changes } };
  });
}

const statusActs = {
  ACTIVE: "merchant resume",
  SUSPENDED: "merchant suspend",
  CLOSED: "merchant close",
} as const satisfies Readonly<Record<Client["status"], string>>;

/**
 * Returns the settings for the audit log. Path and query of an address may contain a secret, so only a digest shows
 * that they changed.
 */
function auditFieldsOf(merchant: MerchantDetails): object {
  const { name, status, timeToleranceSeconds, ratePerSecond, rateBurst, feeBasisPoints, linkSchemes } =
    merchant;
  const notifyUrls = merchant.notifyUrls.map(({ kind, url }) => {
    const digest = createHash("sha256").update(url).digest("hex").slice(0, 12);
    return `${kind} ${URL.parse(url)?.origin} (SHA-256 ${digest}…)`;
  });
  const limits = { timeToleranceSeconds, ratePerSecond, rateBurst };
  return { name, status, ...limits, feeBasisPoints, linkSchemes, notifyUrls };
}

async function findDetails(tx: Tx, clientId: string): Promise<MerchantDetails> {
  const client = await requireClient(tx, clientId);
  const { bucket, publicKeys, revision: _revision, feeRules: rules, atProviders, ...details } = client;
  const { notifyUrls, paused } = await listEndpoints(tx, { bucket, clientId });
  const payoutHold = await findOpenHold(tx, { bucket, clientId });
  const keyVersions = [...publicKeys.keys()].sort((a, b) => a - b);
  const now = new Date(Date.now() + client.aheadMs);
  const [feeRules, isPlainRateUsed] = [rulesInEffect(rules, now), !coversAllPayments(rules, now)];
  const providerAccounts = [...atProviders.accounts].map(([connector, account]) => ({ connector, account }));
  const endpoints = { notifyUrls, paused };
  return { ...details, ...endpoints, keyVersions, payoutHold, feeRules, isPlainRateUsed, providerAccounts };
}

function setAddress(tx: Tx, clientId: string, { kind, url }: NotifyAddress): void {
  const key = { bucket: bucketOf(clientId), clientId, kind };
  if (url === "") deleteNotifyUrl(tx, key);
  else insertNotifyUrl(tx, { ...key, url });
}

function rejectInvalidAddress(url: string, environment: Environment): void {
  if (url === "") return;
  const allowedProtocol = environment === "live" ? /^https:$/ : /^https?:$/;
  if (!allowedProtocol.test(URL.parse(url)?.protocol ?? ""))
    throw new CommandFailed(`${url} must begin with https://, or in the sandbox with http://.`);
  if (!isAllowedWebhookUrl(url)) throw new CommandFailed(`${url}: ${webhookPathRule}`);
}

export function merchantTable(merchants: readonly ListedClient[]): string {
  const head = ["client id", "name", "status", "calls/s", "rate without a fee rule", "gateway key", "since"];
  const rows = merchants.map((each) => [
    each.clientId,
    each.name,
    each.status,
    String(each.ratePerSecond),
    percent(each.feeBasisPoints),
    String(each.gatewayKeyVersion),
    formatUtcTime(each.createdAt),
  ]);
  return rows.length === 0
    ? "There are no merchants. Register one with `tollgate merchant add`."
    : formatTextTable([head, ...rows]);
}

export function merchantText(merchant: MerchantDetails): string {
  return formatTextTable(settingRows(merchant));
}

/** Formats the changes, one line for each setting. */
export function merchantChangeText({ before, after }: ChangedMerchant): string {
  const previousValues = new Map(settingRows(before));
  const changedRows = settingRows(after).filter(([name, value]) => previousValues.get(name) !== value);
  if (changedRows.length === 0) return "Nothing changed.";
  return changedRows.map(([name, value]) => `${name}: ${previousValues.get(name)} → ${value}`).join("\n");
}

function settingRows(merchant: MerchantDetails): (readonly [string, string])[] {
  const { ratePerSecond, rateBurst, timeToleranceSeconds, aheadMs } = merchant;
  return [
    ["client id", merchant.clientId],
    ["name", merchant.name],
    ["status", merchant.status],
    ["rate", `${ratePerSecond} requests a second, burst ${rateBurst}, per operation and process`],
    ["clock", `tolerance ${timeToleranceSeconds} s`],
    ...feeLines(merchant),
    ["apps", merchant.linkSchemes.join(", ") || "none"],
    ["active keys", merchant.keyVersions.join(", ") || "none"],
    ["gateway key", String(merchant.gatewayKeyVersion)],
    [
      "webhook addresses",
      merchant.notifyUrls.map(({ kind, url }) => `${kind} ${url}`).join(", ") || "as given in requests",
    ],
    ["paused", merchant.paused.join(", ") || "none"],
    [
      "accounts at providers",
      merchant.providerAccounts.map(({ connector, account }) => `${connector} ${account}`).join(", ") ||
        "none",
    ],
    ["payouts", payoutsText(merchant)],
    ...(aheadMs === 0 ? [] : [["test clock", `${Math.round(aheadMs / 1000)} s ahead`] as const]),
  ];
}

/** Lines for the fee rules that apply, and for the rate of payments without a fee rule. */
function feeLines({
  feeRules,
  isPlainRateUsed,
  feeBasisPoints,
}: MerchantDetails): (readonly [string, string])[] {
  const rules = feeRules.map((rule): readonly [string, string] => [
    `fee (${[rule.paymentMethodType ?? "all methods", rule.currency ?? "all currencies"].join(", ")})`,
    `${feeText(rule.terms, rule.currency)}, rule ${rule.terms.ruleId} from ${ruleStartText(rule.fromAt)}`,
  ]);
  const use = isPlainRateUsed ? "" : ", not used because a fee rule applies to every payment";
  return [...rules, ["rate without a fee rule", `${percent(feeBasisPoints)}${use}`]];
}

function payoutsText({ status, payoutHold: hold }: MerchantDetails): string {
  if (hold) return `on hold since ${formatUtcTime(hold.heldAt)}, by ${hold.heldBy}: ${hold.reason}`;
  return status === "ACTIVE" ? "not on hold" : "not paid while the merchant is not active";
}

function percent(basisPoints: number): string {
  return `${basisPoints / 100} %`;
}
