import { UsageError, type Given } from "../../../server/src/commands/command.ts";
import { columns } from "../../../server/src/commands/help.ts";
import { didYouMean } from "../../../server/src/commands/did-you-mean.ts";
import { secondsIn } from "./duration.ts";
import { notificationFaults, walletFaults } from "./fault-kinds.ts";
import { findGateway, type KnownGateway } from "./known-gateway.ts";
import { controlWallet } from "./wallet-control.ts";

/** Makes something go wrong on purpose (fault injection): with notifications, or at the wallet. */
export async function faults(given: Given): Promise<void> {
  const [kind] = given.words;
  if (given.has("list")) return print(given, { notificationFaults, walletFaults }, kindLines());
  const gateway = (): Promise<KnownGateway> => findGateway(given.value("folder"));
  if (kind === undefined) return showOrdered(given, await gateway());
  if (kind === "off") return callOff(given, await gateway());
  const order = orderOf(kind, given);
  const answer = await ("fault" in order
    ? (await gateway()).client.tollgate.orderFault(order)
    : controlWallet(await gateway(), "POST faults", order));
  print(given, answer, [`ordered: ${kind}, ${times(order.count)}. \`tollgate faults off\` calls it off.`]);
}

interface NotificationFault {
  readonly faultRequestId: string;
  readonly fault: string;
  readonly count: number;
}

interface WalletFault {
  readonly kind: string;
  readonly count: number;
}

/** The order for the gateway or for the wallet, whoever knows this kind. */
function orderOf(word: string, given: Given): NotificationFault | WalletFault {
  const count = countIn(given.value("count"));
  const [payment, delay] = [given.value("payment"), secondsIn("--delay", given.value("delay"))];
  const fault = word.toUpperCase().replaceAll("-", "_");
  if (Object.hasOwn(notificationFaults, fault)) {
    refuseOthers(given, ["verb", "code"], "of the wallet");
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
  if (!Object.hasOwn(walletFaults, word)) throw unknownFault(word);
  refuseOthers(given, ["endpoint"], "of notifications");
  const [verb, resultCode] = [given.value("verb"), given.value("code")];
  return {
    kind: word,
    count,
    ...(delay !== undefined && { delayMs: delay * 1000 }),
    ...(resultCode !== undefined && { resultCode }),
    match: { ...(payment !== undefined && { paymentId: payment }), ...(verb !== undefined && { verb }) },
  } as WalletFault;
}

function unknownFault(word: string): UsageError {
  const names = [...Object.keys(notificationFaults), ...Object.keys(walletFaults), "off"];
  const byLower = new Map(names.map((name) => [name.toLowerCase(), name]));
  const meant = didYouMean(word.toLowerCase(), [...byLower.keys()], (name) => byLower.get(name) ?? name);
  return new UsageError(`There is no fault ${word}.${meant} \`tollgate faults --list\` has them all.`);
}

function refuseOthers(given: Given, options: readonly string[], whose: string): void {
  const odd = options.find((option) => given.value(option) !== undefined);
  if (odd !== undefined) throw new UsageError(`--${odd} is for faults ${whose}.`);
}

/** One name for each kind, so that it can be called off without remembering anything. */
function nameOf(fault: string): string {
  return `cli-${fault.toLowerCase()}`;
}

function countIn(text = "1"): number {
  if (!/^[1-9]\d{0,2}$/.test(text))
    throw new UsageError(`--count is a number from 1 to 999, and not ${text}.`);
  return Number(text);
}

async function showOrdered(given: Given, gateway: KnownGateway): Promise<void> {
  const answer = await controlWallet(gateway, "GET faults");
  const left = answer["faults"] as readonly { kind: string; count: number; match: object }[];
  const lines = left.map(
    ({ kind, count, match }) =>
      `${kind}, ${times(count)}${Object.keys(match).length > 0 ? `, for ${Object.values(match).join(" ")}` : ""}`,
  );
  const note = "Those of notifications are not listed; `tollgate faults off` calls off all.";
  print(given, answer, [...(lines.length > 0 ? lines : ["The wallet is in order."]), note]);
}

async function callOff(given: Given, gateway: KnownGateway): Promise<void> {
  // One after the other: an order that was signed before another one is refused.
  for (const fault of Object.keys(notificationFaults))
    await gateway.client.tollgate.orderFault({ faultRequestId: nameOf(fault), fault, count: 0 });
  const hasWallet = gateway.walletUrl !== undefined;
  if (hasWallet) await controlWallet(gateway, "DELETE faults");
  const whose = hasWallet ? "of notifications and of the wallet" : "of notifications";
  print(given, { calledOff: true }, [`All faults ${whose} that were ordered here are called off.`]);
}

function kindLines(): readonly string[] {
  return [
    "Of notifications, as the gateway delivers them (what `listen` passes on is not touched):",
    ...columns(Object.entries(notificationFaults)),
    "Of the wallet:",
    ...columns(Object.entries(walletFaults)),
  ];
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function print(given: Given, answer: object, lines: readonly string[]): void {
  process.stdout.write(given.has("json") ? `${JSON.stringify(answer)}\n` : `${lines.join("\n")}\n`);
}
