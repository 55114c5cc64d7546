import type { AuthorizationReport, DisputeReport, OrderReport, Wallet } from "../wallets/wallet.ts";

/**
 * In live a callback that moves anything is believed when the wallet repeats it on being asked: a stolen key
 * alone ends no payment and no consent. What the wallet said then counts, not what the callback said. When the
 * two disagree, nobody knows whether the read side lags or the callback is forged: nothing is written, and a
 * wallet that spoke the truth repeats itself.
 */
export const unconfirmed = "unconfirmed";
export type Confirmed<Report> = Report | typeof unconfirmed;

interface Confirming {
  readonly environment: string;
  readonly wallet: Wallet;
}

const timeoutMs = 5_000;

/** Neither of the other two moves money, or ends anything. */
const movingStates: readonly OrderReport["state"][] = ["PAID", "AUTHORIZED", "DECLINED", "CLOSED"];

export async function confirmOrder(
  { environment, wallet }: Confirming,
  reference: string,
  told: OrderReport,
): Promise<Confirmed<OrderReport>> {
  if (environment !== "live" || !movingStates.includes(told.state)) return told;
  const asked = await wallet.inquire(reference, AbortSignal.timeout(timeoutMs));
  return bearsOut(asked, told) ? asked : unconfirmed;
}

/** Whatever a dispute says freezes money, debits it or lets it go. */
export async function confirmDispute(
  { environment, wallet }: Confirming,
  told: DisputeReport,
): Promise<Confirmed<DisputeReport>> {
  if (environment !== "live") return told;
  const asked = await wallet.inquireDispute(told.walletDisputeId, AbortSignal.timeout(timeoutMs));
  return asked === "NOT_FOUND" || asked.sequence < told.sequence ? unconfirmed : asked;
}

/** An agreement brings a code along, so it is asked after like an end. */
export async function confirmAuthorization(
  { environment, wallet }: Confirming,
  reference: string,
  told: AuthorizationReport,
): Promise<Confirmed<AuthorizationReport>> {
  if (environment !== "live" || told.state === "OPEN") return told;
  const asked = await wallet.inquireAuthorization(reference, AbortSignal.timeout(timeoutMs));
  return bearsOut(asked, told) ? asked : unconfirmed;
}

/** It says the same, or what came after: a hold that was told of may have been let go by now. */
function bearsOut<Report extends OrderReport | AuthorizationReport>(asked: Report, told: Report): boolean {
  const isNewer =
    asked.sequence !== undefined && told.sequence !== undefined && asked.sequence > told.sequence;
  return asked.state === told.state || isNewer;
}
