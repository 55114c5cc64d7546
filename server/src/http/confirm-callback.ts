import type { AuthorizationReport, DisputeReport, OrderReport, Wallet } from "../wallets/wallet.ts";

/**
 * In live a callback that changes a state is confirmed by an inquiry to the wallet: a stolen signing key
 * alone ends no payment and no consent. The inquiry's answer counts, not the callback's. When they disagree,
 * the wallet's read side lags or the callback is forged: nothing is written, and an honest wallet retries.
 */
export const unconfirmed = "unconfirmed";
export type Confirmed<Report> = Report | typeof unconfirmed;

interface Confirming {
  readonly environment: string;
  readonly wallet: Wallet;
}

const timeoutMs = 5_000;

/** The other two states neither move money nor end anything. */
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

/** Always confirmed: every dispute event freezes, debits or releases money. */
export async function confirmDispute(
  { environment, wallet }: Confirming,
  told: DisputeReport,
): Promise<Confirmed<DisputeReport>> {
  if (environment !== "live") return told;
  const asked = await wallet.inquireDispute(told.walletDisputeId, AbortSignal.timeout(timeoutMs));
  return asked === "NOT_FOUND" || asked.sequence < told.sequence ? unconfirmed : asked;
}

/** Every state but OPEN is confirmed: an agreement carries a code. */
export async function confirmAuthorization(
  { environment, wallet }: Confirming,
  reference: string,
  told: AuthorizationReport,
): Promise<Confirmed<AuthorizationReport>> {
  if (environment !== "live" || told.state === "OPEN") return told;
  const asked = await wallet.inquireAuthorization(reference, AbortSignal.timeout(timeoutMs));
  return bearsOut(asked, told) ? asked : unconfirmed;
}

/** True for the same state, or a later one by sequence: an authorized order may have been released by now. */
function bearsOut<Report extends OrderReport | AuthorizationReport>(asked: Report, told: Report): boolean {
  const isNewer =
    asked.sequence !== undefined && told.sequence !== undefined && asked.sequence > told.sequence;
  return asked.state === told.state || isNewer;
}
