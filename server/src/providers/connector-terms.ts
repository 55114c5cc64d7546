import { defaultTerms, type Connector, type ConnectorTerms } from "./connector.ts";
import type { ProviderFacts, ProviderQuery } from "./provider-facts.ts";

/** `offersQuery` returns whether the provider answers an inquiry. Without facts, it answers all of them. */
export function offersQuery({ facts }: Pick<Connector, "facts">, query: ProviderQuery): boolean {
  return facts === undefined || facts.queries.includes(query);
}

/**
 * `resolveTerms` returns the terms of a connector. The operator's settings win over the provider's facts, and the facts
 * over the defaults.
 */
export function resolveTerms(
  facts: ProviderFacts | undefined,
  operatorTerms: Partial<ConnectorTerms>,
): ConnectorTerms {
  return { ...defaultTerms, ...(facts && toTerms(facts)), ...operatorTerms };
}

/** `operatorTermsOf` returns the terms that the operator has set, and that the provider's facts do not change. */
export function operatorTermsOf({
  terms,
  operatorTerms = [],
}: Pick<Connector, "terms" | "operatorTerms">): Partial<ConnectorTerms> {
  const kept = new Set<string>([...operatorTerms, ...termsWithoutFacts]);
  return Object.fromEntries(Object.entries(terms).filter(([name]) => kept.has(name)));
}

/** Terms that no provider states. */
const termsWithoutFacts = ["demandsRegistration", "accounts", "priority"] as const;

const daySeconds = 86_400;

function toTerms(facts: ProviderFacts): Partial<ConnectorTerms> {
  const { refunds, captures, cancelPaid, idempotencyWindowSeconds: windowSeconds } = facts;
  const { quietSeconds, holdSeconds, refundWindowSeconds } = facts;
  return {
    refunds,
    captures,
    cancelPaid,
    currencies: facts.currencies.map(({ currency }) => currency),
    idempotentByReference: windowSeconds !== 0,
    idempotencyWindowSeconds: windowSeconds || undefined,
    ...(quietSeconds !== undefined && { quietSeconds }),
    ...(holdSeconds !== undefined && { holdSeconds }),
    // A window of less than a day becomes one day: the provider rejects what is too late.
    ...(refundWindowSeconds !== undefined && {
      refundWindowDays: Math.max(1, Math.floor(refundWindowSeconds / daySeconds)),
    }),
  };
}

/** A setting of the operator that promises more than the provider states. */
export interface FactContradiction {
  readonly setting: string;
  readonly set: string;
  readonly stated: string;
}

/**
 * `findContradictions` returns the settings that promise more than the provider states. The settings win, so the
 * operator must see them. A setting that promises less is the operator's choice and no contradiction.
 */
export function findContradictions({
  facts,
  terms,
  paymentMethodTypes,
}: Pick<Connector, "facts" | "terms" | "paymentMethodTypes">): readonly FactContradiction[] {
  if (!facts) return [];
  const stated = resolveTerms(facts, {});
  const methods = paymentMethodTypes.filter((type) => type !== "*");
  const isMore = (["refunds", "captures", "cancelPaid"] as const).filter(
    (name) => levels[name].indexOf(terms[name]) > levels[name].indexOf(stated[name]),
  );
  return [
    ...isMore.map((setting) => ({ setting, set: terms[setting], stated: stated[setting] })),
    ...(["refundWindowDays", "holdSeconds"] as const)
      .filter((setting) => terms[setting] > stated[setting])
      .map((setting) => ({ setting, set: String(terms[setting]), stated: String(stated[setting]) })),
    ...(terms.quietSeconds < stated.quietSeconds
      ? [{ setting: "quietSeconds", set: String(terms.quietSeconds), stated: String(stated.quietSeconds) }]
      : []),
    ...(repeatSeconds(terms) > repeatSeconds(stated)
      ? [{ setting: "idempotencyWindowSeconds", set: repeatText(terms), stated: repeatText(stated) }]
      : []),
    ...compareLists("currencies", terms.currencies, stated.currencies),
    ...(methods.length === 0 ? [] : compareLists("paymentMethodTypes", methods, facts.paymentMethodTypes)),
  ];
}

/** Values of a term, from the one that promises least. */
const levels: Readonly<Record<"refunds" | "captures" | "cancelPaid", readonly string[]>> = {
  refunds: ["NONE", "FULL", "ONCE", "MANY"],
  captures: ["NONE", "ONE", "MANY"],
  cancelPaid: ["NEVER", "DAY", "WEEK"],
};

function repeatSeconds({
  idempotentByReference,
  idempotencyWindowSeconds = Infinity,
}: Pick<ConnectorTerms, "idempotentByReference" | "idempotencyWindowSeconds">): number {
  return idempotentByReference ? idempotencyWindowSeconds : 0;
}

/** `repeatText` returns how long a message may be repeated, in words. */
export function repeatText(
  terms: Pick<ConnectorTerms, "idempotentByReference" | "idempotencyWindowSeconds">,
): string {
  const seconds = repeatSeconds(terms);
  if (seconds === 0) return "no";
  return seconds === Infinity ? "yes" : `for ${seconds} s after the first message`;
}

/** An empty list means all values, so a list of all values promises more than a list of some. */
function compareLists(
  setting: string,
  set: readonly string[],
  stated: readonly string[],
): readonly FactContradiction[] {
  if (stated.length === 0) return [];
  const unstated = set.filter((value) => !stated.includes(value));
  const excess = set.length === 0 ? "all" : unstated.join(", ");
  return excess === "" ? [] : [{ setting, set: excess, stated: stated.join(", ") }];
}
