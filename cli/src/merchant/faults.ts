import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { alignColumns } from "../../../server/src/operators/framework/help.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { parseDurationOption } from "./duration.ts";
import { notificationFaults, providerFaults } from "./fault-kinds.ts";
import { findGateway, type ConfiguredGateway } from "./configured-gateway.ts";
import { controlProvider } from "./provider-control.ts";

/** Injects a fault: into webhooks, or at the sandbox provider. */
export async function faults(args: CommandArguments): Promise<void> {
  const [kind] = args.positionals;
  if (args.has("list")) return print(args, { notificationFaults, providerFaults }, formatKinds());
  const gateway = (): Promise<ConfiguredGateway> => findGateway(args.value("folder"));
  if (kind === undefined) return listFaults(args, await gateway());
  if (kind === "off") return cancelFaults(args, await gateway());
  const fault = buildFault(kind, args);
  const answer = await ("fault" in fault
    ? (await gateway()).client.tollgate.orderFault(fault)
    : controlProvider(await gateway(), "POST faults", fault));
  print(args, answer, [
    `injected: ${kind}, ${formatTimes(fault.count)}. \`tollgate faults off\` cancels it.`,
  ]);
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
function buildFault(name: string, args: CommandArguments): NotificationFault | ProviderFault {
  const count = parseCount(args.value("count"));
  const [payment, delay] = [args.value("payment"), parseDurationOption("--delay", args.value("delay"))];
  const fault = name.toUpperCase().replaceAll("-", "_");
  if (Object.hasOwn(notificationFaults, fault)) {
    rejectOptions(args, ["verb", "code"], "of the provider");
    const endpoint = args.value("endpoint");
    return {
      faultRequestId: faultRequestIdFor(fault),
      fault,
      count,
      ...(payment !== undefined && { subjectId: payment }),
      ...(endpoint !== undefined && { endpoint }),
      ...(delay !== undefined && { delaySeconds: delay }),
    };
  }
  if (!Object.hasOwn(providerFaults, name)) throw unknownFaultError(name);
  rejectOptions(args, ["endpoint"], "of webhooks");
  const [verb, resultCode] = [args.value("verb"), args.value("code")];
  return {
    kind: name,
    count,
    ...(delay !== undefined && { delayMs: delay * 1000 }),
    ...(resultCode !== undefined && { resultCode }),
    ...(resultCode !== undefined && name.endsWith("-pending") && { outcome: "FAILED" }),
    match: { ...(payment !== undefined && { paymentId: payment }), ...(verb !== undefined && { verb }) },
  } as ProviderFault;
}

function unknownFaultError(word: string): UsageError {
  const names = [...Object.keys(notificationFaults), ...Object.keys(providerFaults), "off"];
  const byLower = new Map(names.map((name) => [name.toLowerCase(), name]));
  const suggestion = didYouMean(word.toLowerCase(), [...byLower.keys()], (name) => byLower.get(name) ?? name);
  return new UsageError(`There is no fault ${word}.${suggestion} \`tollgate faults --list\` lists all.`);
}

function rejectOptions(args: CommandArguments, options: readonly string[], subject: string): void {
  const unexpectedOption = options.find((option) => args.value(option) !== undefined);
  if (unexpectedOption !== undefined) throw new UsageError(`--${unexpectedOption} is for faults ${subject}.`);
}

/**
 * Returns a constant name for each kind of fault, so that a later command can cancel the fault without stored state.
 */
function faultRequestIdFor(fault: string): string {
  return `cli-${fault.toLowerCase()}`;
}

function parseCount(text = "1"): number {
  if (!/^[1-9]\d{0,2}$/.test(text))
    throw new UsageError(`--count must be a number from 1 to 999, not ${text}.`);
  return Number(text);
}

async function listFaults(args: CommandArguments, gateway: ConfiguredGateway): Promise<void> {
  const answer = await controlProvider(gateway, "GET faults");
  const remaining = answer["faults"] as readonly { kind: string; count: number; match: object }[];
  const lines = remaining.map(
    ({ kind, count, match }) =>
      `${kind}, ${formatTimes(count)}${Object.keys(match).length > 0 ? `, for ${Object.values(match).join(" ")}` : ""}`,
  );
  const note = "Faults of webhooks are not listed; `tollgate faults off` cancels all.";
  print(args, answer, [...(lines.length > 0 ? lines : ["No faults are set at the provider."]), note]);
}

async function cancelFaults(args: CommandArguments, gateway: ConfiguredGateway): Promise<void> {
  // The requests are sent one after the other, because the gateway rejects a request that was signed before a newer
  // one.
  for (const fault of Object.keys(notificationFaults))
    await gateway.client.tollgate.orderFault({ faultRequestId: faultRequestIdFor(fault), fault, count: 0 });
  const hasProvider = gateway.walletUrl !== undefined;
  if (hasProvider) await controlProvider(gateway, "DELETE faults");
  const subject = hasProvider ? "of webhooks and of the provider" : "of webhooks";
  print(args, { calledOff: true }, [`All faults ${subject} that this command injected are cancelled.`]);
}

function formatKinds(): readonly string[] {
  return [
    "Faults of webhooks that the gateway delivers (not of those that `listen` forwards):",
    ...alignColumns(Object.entries(notificationFaults)),
    "Faults of the provider:",
    ...alignColumns(Object.entries(providerFaults)),
  ];
}

function formatTimes(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function print(args: CommandArguments, answer: object, lines: readonly string[]): void {
  process.stdout.write(args.has("json") ? `${JSON.stringify(answer)}\n` : `${lines.join("\n")}\n`);
}
