import type { AuthorizationReport, DisputeReport, OrderReport, Provider } from "../../providers/provider.ts";

/**
 * In live, the gateway confirms each callback that changes a state by an inquiry to the provider. So an attacker with a
 * stolen signing key cannot settle a payment or a consent. The inquiry's response counts, not the callback. If they
 * differ, the provider's read replica lags or the callback is forged: the gateway writes nothing, and a genuine
 * provider retries.
 */
export const unconfirmed = "unconfirmed";
export type Confirmed<Report> = Report | typeof unconfirmed;

interface Confirming {
  readonly environment: string;
  readonly provider: Provider;
}

const timeoutMs = 5_000;

/** Order states that need a confirmation, because they move money or are final. */
const movingStates: readonly OrderReport["state"][] = ["PAID", "AUTHORIZED", "DECLINED", "CLOSED"];

export async function confirmOrder(
  { environment, provider }: Confirming,
  reference: string,
  told: OrderReport,
): Promise<Confirmed<OrderReport>> {
  if (environment !== "live" || !movingStates.includes(told.state)) return told;
  const asked = await provider.inquire(reference, AbortSignal.timeout(timeoutMs));
  return bearsOut(asked, told) ? asked : unconfirmed;
}

/**
 * Confirms a dispute callback. Each one is confirmed, because every dispute event freezes, debits or releases money.
 */
export async function confirmDispute(
  { environment, provider }: Confirming,
  told: DisputeReport,
): Promise<Confirmed<DisputeReport>> {
  if (environment !== "live") return told;
  const asked = await provider.inquireDispute(told.walletDisputeId, AbortSignal.timeout(timeoutMs));
  return asked === "NOT_FOUND" || asked.sequence < told.sequence ? unconfirmed : asked;
}

/** Confirms a callback about a consent. Every state except OPEN is confirmed, because an agreement carries a code. */
export async function confirmAuthorization(
  { environment, provider }: Confirming,
  reference: string,
  told: AuthorizationReport,
): Promise<Confirmed<AuthorizationReport>> {
  if (environment !== "live" || told.state === "OPEN") return told;
  const asked = await provider.inquireAuthorization(reference, AbortSignal.timeout(timeoutMs));
  return bearsOut(asked, told) ? asked : unconfirmed;
}

/**
 * Whether the inquiry confirms the callback: it shows the same state, or a later one by sequence. For example, an
 * authorized order may have been released meanwhile.
 */
function bearsOut<Report extends OrderReport | AuthorizationReport>(asked: Report, told: Report): boolean {
  const isNewer =
    asked.sequence !== undefined && told.sequence !== undefined && asked.sequence > told.sequence;
  return asked.state === told.state || isNewer;
}
