import { accountRules, type ConnectorTerms, type ProviderTlsFiles } from "../../providers/connector.ts";
import type { CommandArguments, Options } from "../framework/command.ts";
import { omitUndefined, parseList, parseYesNo } from "../framework/operator-options.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

export const yesNo = ["yes", "no"] as const;

/**
 * Options for the capabilities of a provider, for `connector add` and `connector set`. They win over the provider's
 * facts.
 */
export const termOptions = {
  currencies: {
    value: "EUR,USD",
    summary: "Supported currencies (default all)",
    mayBeEmpty: true,
  },
  refunds: {
    value: "HOW",
    summary: "Refunds: NONE, FULL (once, in full), ONCE (once, also partial) or MANY",
    oneOf: ["NONE", "FULL", "ONCE", "MANY"],
  },
  "refund-window": { value: "DAYS", summary: "Days after a payment in which it can be refunded" },
  captures: {
    value: "HOW",
    summary: "Captures per authorization: NONE, ONE or MANY",
    oneOf: ["NONE", "ONE", "MANY"],
  },
  "cancel-paid": {
    value: "UNTIL",
    summary: "How long a paid payment can be cancelled: NEVER, DAY or WEEK",
    oneOf: ["NEVER", "DAY", "WEEK"],
  },
  idempotent: {
    value: "yes|no",
    summary: "Whether a repeated reference acts once; if no, unclear results stop",
    oneOf: yesNo,
  },
  "idempotency-window": {
    value: "N",
    summary: "Seconds after the first message in which a repeat acts once; empty: no limit",
    mayBeEmpty: true,
  },
  "quiet-seconds": {
    value: "N",
    summary: "Quiet time in seconds, in which a sent message may still take effect",
  },
  "hold-seconds": {
    value: "N",
    summary: "Length of an authorization hold in seconds (default 7 days)",
  },
  accounts: {
    value: "HOW",
    summary: "Accounts of merchants at the provider: none, optional or required",
    oneOf: accountRules,
  },
  priority: { value: "N", summary: "Order among connectors of a method, lowest first (default 100)" },
} as const satisfies Options;

/** Options for keys and certificates, for `connector add` and `connector set`. */
export const keyOptions = {
  "other-public-key": {
    value: "FILE",
    summary: "Second public key of the provider (PEM) for key rotation; or empty",
    mayBeEmpty: true,
  },
  "client-certificate": {
    value: "FILE",
    summary: "Path of our TLS client certificate on each server, PEM; or empty",
    mayBeEmpty: true,
  },
  "client-key": { value: "FILE", summary: "Path of its private key on each server, PEM", mayBeEmpty: true },
  ca: {
    value: "FILE",
    summary: "Path of the provider's CA, PEM, instead of Node's CAs; or empty",
    mayBeEmpty: true,
  },
} as const satisfies Options;

/** Returns the TLS files of a connector from the options; undefined if none is given. */
export function readTlsFiles(args: CommandArguments): ProviderTlsFiles | undefined {
  const files = omitUndefined({
    certificateFile: args.value("client-certificate"),
    keyFile: args.value("client-key"),
    caFile: args.value("ca"),
  });
  return Object.keys(files).length === 0 ? undefined : files;
}

/** Returns the terms that are given as options. */
export function readTerms(args: CommandArguments): Partial<ConnectorTerms> {
  const window =
    args.value("idempotency-window") === ""
      ? undefined
      : parseWholeNumber(args, "idempotency-window", [1, 1_000_000_000]);
  const windowTerm = args.value("idempotency-window") !== undefined && { idempotencyWindowSeconds: window };
  const terms = omitUndefined({
    currencies: parseList(args, "currencies"),
    refunds: args.value("refunds"),
    refundWindowDays: parseWholeNumber(args, "refund-window", [1, 36_500]),
    captures: args.value("captures"),
    cancelPaid: args.value("cancel-paid"),
    idempotentByReference: parseYesNo(args, "idempotent"),
    quietSeconds: parseWholeNumber(args, "quiet-seconds", [0, 86_400]),
    accounts: args.value("accounts"),
    priority: parseWholeNumber(args, "priority", [0, 1_000_000]),
    holdSeconds: parseWholeNumber(args, "hold-seconds", [1, 1_000_000_000]),
  });
  // The cast is safe, because the parser has already checked these values.
  return { ...terms, ...windowTerm } as Partial<ConnectorTerms>;
}
