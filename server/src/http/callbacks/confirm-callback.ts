import type {
  AuthorizationReport,
  DisputeReport,
  MerchantAccount,
  OrderReport,
  Provider,
} from "../../providers/provider.ts";

/**
 * In live, the gateway confirms each callback that changes a state by an inquiry to the provider. So an attacker with a
 * stolen signing key cannot settle a payment or a consent. The inquiry's response counts, not the callback. If they
 * differ, the provider's read replica lags or the callback is forged: the gateway writes nothing, and a genuine
 * provider retries. If the provider does not answer this inquiry, the signed callback counts.
 */
export const unconfirmed = "unconfirmed";
export type ConfirmationResult<Report> = Report | typeof unconfirmed;

interface ConfirmationContext {
  readonly environment: string;
  readonly provider: Provider;
  /** Finds the merchant's account of the order or consent. Called only if an inquiry is sent. */
  readonly findOwner: () => Promise<MerchantAccount>;
}

const timeoutMs = 5_000;

/** Order states that need a confirmation, because they move money or are final. */
const movingStates: readonly OrderReport["state"][] = ["PAID", "AUTHORIZED", "DECLINED", "CLOSED", "LAPSED"];

export async function confirmOrder(
  { environment, provider, findOwner }: ConfirmationContext,
  reference: string,
  reported: OrderReport,
): Promise<ConfirmationResult<OrderReport>> {
  if (environment !== "live" || !movingStates.includes(reported.state)) return reported;
  const owner = await findOwner();
  const inquired = await provider.inquire({ reference, owner }, AbortSignal.timeout(timeoutMs));
  if (inquired.state === "NO_QUERY") return reported;
  return confirmsReport(inquired, reported) ? inquired : unconfirmed;
}

/**
 * Confirms a dispute callback. Each one is confirmed, because every dispute event freezes, debits or releases money.
 */
export async function confirmDispute(
  { environment, provider, findOwner }: ConfirmationContext,
  reported: DisputeReport,
): Promise<ConfirmationResult<DisputeReport>> {
  if (environment !== "live") return reported;
  const { providerDisputeId } = reported;
  const owner = await findOwner();
  const inquired = await provider.inquireDispute(
    { providerDisputeId, owner },
    AbortSignal.timeout(timeoutMs),
  );
  if (inquired === "NO_QUERY") return reported;
  return inquired === "NOT_FOUND" || inquired.sequence < reported.sequence ? unconfirmed : inquired;
}

/** Confirms a callback about a consent. Every state except OPEN is confirmed, because an agreement carries a code. */
export async function confirmAuthorization(
  { environment, provider, findOwner }: ConfirmationContext,
  reference: string,
  reported: AuthorizationReport,
): Promise<ConfirmationResult<AuthorizationReport>> {
  if (environment !== "live" || reported.state === "OPEN") return reported;
  const consent = { reference, owner: await findOwner() };
  const inquired = await provider.inquireAuthorization(consent, AbortSignal.timeout(timeoutMs));
  return confirmsReport(inquired, reported) ? inquired : unconfirmed;
}

/**
 * Whether the inquiry confirms the callback: it shows the same state, or a later one by sequence. For example, an
 * authorized order may have been released meanwhile.
 */
function confirmsReport<Report extends OrderReport | AuthorizationReport>(
  inquired: Report,
  reported: Report,
): boolean {
  const isNewer =
    inquired.sequence !== undefined &&
    reported.sequence !== undefined &&
    inquired.sequence > reported.sequence;
  return inquired.state === reported.state || isNewer;
}
