import type { Given } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { columns } from "../../../server/src/operators/framework/help.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { secondsIn } from "./duration.ts";
import { notificationFaults, providerFaults } from "./fault-kinds.ts";
import { findGateway, type KnownGateway } from "./known-gateway.ts";
import { controlWallet } from "./wallet-control.ts";

/** Injects a fault: into webhooks, or at the sandbox provider. */
export async function faults(given: Given): Promise<void> {
  const [kind] = given.words;
  if (given.has("list")) return print(given, { notificationFaults, providerFaults }, kindLines());
  const gateway = (): Promise<KnownGateway> => findGateway(given.value("folder"));
  if (kind === undefined) return showOrdered(given, await gateway());
  if (kind === "off") return callOff(given, await gateway());
  const order = orderOf(kind, given);
  const answer = await ("fault" in order
    ? (await gateway()).client.tollgate.orderFault(order)
    : controlWallet(await gateway(), "POST faults", order));
  print(given, answer, [`injected: ${kind}, ${times(order.count)}. \`tollgate faults off\` cancels it.`]);
}

interface NotificationFault {
  readonly faultRequestId: string;
  readonly fault: string;
  readonly count: number;
}

interface ProviderFault {
  readonly kind: string;
  readonly count: number;
}

/** The request to the gateway or to the provider, depending on which has this fault. */
function orderOf(word: string, given: Given): NotificationFault | ProviderFault {
  const count = countIn(given.value("count"));
  const [payment, delay] = [given.value("payment"), secondsIn("--delay", given.value("delay"))];
  const fault = word.toUpperCase().replaceAll("-", "_");
  if (Object.hasOwn(notificationFaults, fault)) {
    refuseOthers(given, ["verb", "code"], "of the provider");
    const endpoint = given.value("endpoint");
    return {
      faultRequestId: nameOf(fault),
      fault,
      count,
      ...(payment !== undefined && { subjectId: payment }),
      ...(endpoint !== undefined && { endpoint }),
      ...(delay !== undefined && { delaySeconds: delay }),
    };
  }
  if (!Object.hasOwn(providerFaults, word)) throw unknownFault(word);
  refuseOthers(given, ["endpoint"], "of webhooks");
  const [verb, resultCode] = [given.value("verb"), given.value("code")];
  return {
    kind: word,
    count,
    ...(delay !== undefined && { delayMs: delay * 1000 }),
    ...(resultCode !== undefined && { resultCode }),
    match: { ...(payment !== undefined && { paymentId: payment }), ...(verb !== undefined && { verb }) },
  } as ProviderFault;
}

function unknownFault(word: string): UsageError {
  const names = [...Object.keys(notificationFaults), ...Object.keys(providerFaults), "off"];
  const byLower = new Map(names.map((name) => [name.toLowerCase(), name]));
  const meant = didYouMean(word.toLowerCase(), [...byLower.keys()], (name) => byLower.get(name) ?? name);
  return new UsageError(`There is no fault ${word}.${meant} \`tollgate faults --list\` lists all.`);
}

function refuseOthers(given: Given, options: readonly string[], whose: string): void {
  const odd = options.find((option) => given.value(option) !== undefined);
  if (odd !== undefined) throw new UsageError(`--${odd} is for faults ${whose}.`);
}

/**
 * Returns a constant name for each kind of fault, so that a later command can cancel the fault without stored state.
 */
function nameOf(fault: string): string {
  return `cli-${fault.toLowerCase()}`;
}

function countIn(text = "1"): number {
  if (!/^[1-9]\d{0,2}$/.test(text))
    throw new UsageError(`--count must be a number from 1 to 999, not ${text}.`);
  return Number(text);
}

async function showOrdered(given: Given, gateway: KnownGateway): Promise<void> {
  const answer = await controlWallet(gateway, "GET faults");
  const left = answer["faults"] as readonly { kind: string; count: number; match: object }[];
  const lines = left.map(
    ({ kind, count, match }) =>
      `${kind}, ${times(count)}${Object.keys(match).length > 0 ? `, for ${Object.values(match).join(" ")}` : ""}`,
  );
  const note = "Faults of webhooks are not listed; `tollgate faults off` cancels all.";
  print(given, answer, [...(lines.length > 0 ? lines : ["No faults are set at the provider."]), note]);
}

async function callOff(given: Given, gateway: KnownGateway): Promise<void> {
  // The requests are sent one after the other, because the gateway rejects a request that was signed before a newer
  // one.
  for (const fault of Object.keys(notificationFaults))
    await gateway.client.tollgate.orderFault({ faultRequestId: nameOf(fault), fault, count: 0 });
  const hasProvider = gateway.walletUrl !== undefined;
  if (hasProvider) await controlWallet(gateway, "DELETE faults");
  const whose = hasProvider ? "of webhooks and of the provider" : "of webhooks";
  print(given, { calledOff: true }, [`All faults ${whose} that this command injected are cancelled.`]);
}

function kindLines(): readonly string[] {
  return [
    "Faults of webhooks that the gateway delivers (not of those that `listen` forwards):",
    ...columns(Object.entries(notificationFaults)),
    "Faults of the provider:",
    ...columns(Object.entries(providerFaults)),
  ];
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function print(given: Given, answer: object, lines: readonly string[]): void {
  process.stdout.write(given.has("json") ? `${JSON.stringify(answer)}\n` : `${lines.join("\n")}\n`);
}
