import { formatTextTable, formatUtcTime } from "../../formats/text-table.ts";
import { findContradictions, repeatText } from "../../providers/connector-terms.ts";
import type { ProviderFacts } from "../../providers/provider-facts.ts";
import type { SharedMethod } from "../../providers/connector.ts";
import type { ChangedConnector, ConnectorDetails } from "./connector-settings.ts";

export function connectorTable(connectors: readonly ConnectorDetails[]): string {
  const head = [
    "name",
    "url",
    "methods",
    "accounts",
    "priority",
    "now",
    "jobs",
    "gateway key",
    "software",
    "facts received",
  ];
  const rows = connectors.map((each) => [
    each.name,
    each.url,
    truncate(each.paymentMethodTypes.join(",")),
    each.terms.accounts,
    String(each.terms.priority),
    stateText(each),
    String(each.jobCount),
    String(each.gatewayKeyVersion),
    each.facts ? softwareText(each.facts) : "",
    each.factsAt ? formatUtcTime(each.factsAt) : "never asked",
  ]);
  return rows.length === 0
    ? "There are no connectors. Set one up with `tollgate connector add`."
    : [formatTextTable([head, ...rows]), ...sharedMethodLines(connectors)].join("\n");
}

/** One line for each payment method of several connectors, such as `CARD: acquirer-a, acquirer-b`. */
function sharedMethodLines(connectors: readonly ConnectorDetails[]): readonly string[] {
  const lines = connectors.flatMap(({ sharedMethods }) => sharedMethods).map(sharedMethodText);
  if (lines.length === 0) return [];
  const head =
    "Methods of several connectors. A merchant with an account at one of them uses that one first.";
  return ["", head, ...new Set(lines)];
}

function sharedMethodText({ paymentMethodType, connectors }: SharedMethod): string {
  return `${paymentMethodType}: ${connectors.join(", ")}`;
}

function stateText({ disabledAt, isSilent }: ConnectorDetails): string {
  return [disabledAt && "DISABLED", isSilent && "SILENT"].filter(Boolean).join(", ");
}

export function connectorText(connector: ConnectorDetails): string {
  return [
    formatTextTable([...settingRows(connector), ...factRows(connector)]),
    ...warningLines(connector),
  ].join("\n");
}

/** `warningLines` names each setting that promises more than the provider states. */
export function warningLines(connector: ConnectorDetails): readonly string[] {
  return warningsOf(connector).map((warning) => `Warning: ${warning}`);
}

export function warningsOf(connector: ConnectorDetails): readonly string[] {
  const { name, facts } = connector;
  if (!facts) return [`${name} has no facts. Ask the provider with \`tollgate connector refresh ${name}\`.`];
  return findContradictions(connector).map(
    ({ setting, set, stated }) =>
      `${setting} is set to ${set}, but the provider states ${stated}. The setting is used.`,
  );
}

/** `factsChangeLines` lists the differences of two answers, one line for each fact. */
export function factsChangeLines(before: ProviderFacts | undefined, after: ProviderFacts): readonly string[] {
  const previous = new Map<string, unknown>(Object.entries(before ?? {}));
  const next = new Map<string, unknown>(Object.entries(after));
  const names = [...new Set([...previous.keys(), ...next.keys()])];
  const toText = (value: unknown): string => (value === undefined ? "not stated" : JSON.stringify(value));
  return names.flatMap((name) => {
    const [was, is] = [toText(previous.get(name)), toText(next.get(name))];
    return was === is ? [] : [`${name}: ${was} → ${is}`];
  });
}

/** Formats the changes, one line for each setting. */
export function connectorChangeText({ before, after }: ChangedConnector): string {
  const previousValues = new Map(settingRows(before));
  const changedRows = settingRows(after).filter(([name, value]) => previousValues.get(name) !== value);
  const lines = changedRows.map(([name, value]) => `${name}: ${previousValues.get(name)} → ${value}`);
  const warnings = after.facts ? warningLines(after) : [];
  return [...lines, "All processes apply this within ten seconds.", ...warnings].join("\n");
}

function settingRows(connector: ConnectorDetails): (readonly [string, string])[] {
  const { terms } = connector;
  return [
    ["name", connector.name],
    ["url", connector.url],
    ["partner id", connector.partnerId],
    ["provider's key", `${connector.algorithm}, SHA-256 ${connector.keySha256}`],
    ["provider's second key", connector.otherKeySha256 ? `SHA-256 ${connector.otherKeySha256}` : "none"],
    ["client certificate", connector.tls?.certificateFile ?? "none"],
    ["CA", connector.tls?.caFile ?? "Node's default CAs"],
    ["methods", connector.paymentMethodTypes.join(", ")],
    ["currencies", terms.currencies.join(", ") || "all"],
    ["simulator", yesNoText(connector.simulator)],
    ["demands registration", yesNoText(terms.demandsRegistration)],
    ["accounts of merchants", terms.accounts],
    ["priority", String(terms.priority)],
    ["methods shared with", connector.sharedMethods.map(sharedMethodText).join("; ") || "no other connector"],
    ["refunds", `${terms.refunds}, within ${terms.refundWindowDays} days`],
    ["captures", terms.captures],
    ["cancel after payment", terms.cancelPaid],
    ["idempotent", repeatText(terms)],
    ["quiet time", `${terms.quietSeconds} s`],
    ["authorization hold", `${terms.holdSeconds} s`],
    ["set by an operator", connector.operatorTerms?.join(", ") || "nothing"],
    ["gateway key", String(connector.gatewayKeyVersion)],
    ["now", connector.isSilent ? "SILENT: the provider does not respond" : "responding"],
    ["enabled", connector.disabledAt ? `no, since ${formatUtcTime(connector.disabledAt)}` : "yes"],
    ["jobs waiting for it", String(connector.jobCount)],
  ];
}

/** The facts that are no setting, with the time of the answer. */
function factRows({ facts, factsAt }: ConnectorDetails): (readonly [string, string])[] {
  if (!facts || !factsAt) return [["facts", "never asked"]];
  const list = (values: readonly string[], none: string): string => values.join(", ") || none;
  const minorUnits = facts.currencies.filter((each) => each.minorUnits !== undefined);
  return [
    ["facts received", formatUtcTime(factsAt)],
    ["software", softwareText(facts)],
    ["protocol", facts.protocolVersion],
    ["enforces notAfter", yesNoText(facts.enforcesNotAfter ?? false)],
    ["provider's methods", list(facts.paymentMethodTypes, "any")],
    [
      "provider's minor units",
      list(
        minorUnits.map((each) => `${each.currency} ${each.minorUnits}`),
        "ISO 4217",
      ),
    ],
    ["inquiries", list(facts.queries, "none")],
    ["callbacks", list(facts.callbacks, "none")],
    ["wants", list(facts.wants, "nothing")],
    ["evidence types", list(facts.evidenceTypes, "none")],
  ];
}

function softwareText({ name, softwareVersion }: ProviderFacts): string {
  return `${name} ${softwareVersion}`;
}

function yesNoText(value: boolean): string {
  return value ? "yes" : "no";
}

const methodsWidth = 24;

function truncate(text: string): string {
  return text.length <= methodsWidth ? text : `${text.slice(0, methodsWidth - 1)}…`;
}
