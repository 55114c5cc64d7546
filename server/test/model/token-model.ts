/** A buyer's consent as the merchant knows it, and what the merchant may do with it. */
export interface ModelAgreement {
  readonly authState: string;
  /** The provider's results for payments with this consent. */
  readonly terms: BuyerTerms;
  readonly authCode: string;
  /** True if the buyer has withdrawn the consent at the provider. */
  isCanceled: boolean;
  /** Possible statuses at the gateway, which learns of the buyer's cancel later. */
  possibleStatuses: ReadonlySet<AgreementStatus>;
  readonly pairs: ModelPair[];
}

export type AgreementStatus = "ACTIVE" | "REVOKED" | "CANCELED";

export interface BuyerTerms {
  readonly asks?: boolean;
  readonly declines?: string;
}

export interface ModelPair {
  readonly accessToken: string;
  readonly refreshToken: string;
  isUsed: boolean;
  /** The next pair, for which this pair's refresh token was exchanged. */
  replacedBy: ModelPair | undefined;
  /** True if this pair is invalid, because the next pair was used. */
  isRetired: boolean;
}

export function newPair(json: Readonly<Record<string, unknown>>): ModelPair {
  const { accessToken, refreshToken } = json as { accessToken: string; refreshToken: string };
  return { accessToken, refreshToken, isUsed: false, replacedBy: undefined, isRetired: false };
}

/** Using a pair, to pay or to refresh, invalidates earlier pairs. */
export function usePair({ pairs }: ModelAgreement, used: ModelPair): void {
  used.isUsed = true;
  for (const pair of pairs) if (pair !== used && pair.replacedBy) pair.isRetired = true;
}

/** The result code for each possible view of the gateway. */
export function statusesByCode(
  { possibleStatuses }: ModelAgreement,
  codeIn: (status: AgreementStatus) => string,
): ReadonlyMap<string, readonly AgreementStatus[]> {
  const codes = new Map<string, AgreementStatus[]>();
  for (const status of possibleStatuses)
    codes.set(codeIn(status), [...(codes.get(codeIn(status)) ?? []), status]);
  return codes;
}

export function payCodeOf(pair: ModelPair, status: AgreementStatus): string {
  if (status !== "ACTIVE") return "AUTHORIZATION_NOT_EXIST";
  return pair.isRetired ? "INVALID_ACCESS_TOKEN" : "SUCCESS";
}

/** The result code for a query of an access token. */
export function queryCodeOf(pair: ModelPair, status: AgreementStatus): string {
  return status === "ACTIVE" && pair.isRetired ? "INVALID_ACCESS_TOKEN" : status;
}

export function revokeCodeOf(pair: ModelPair, status: AgreementStatus): string {
  return status === "ACTIVE" && !pair.isRetired ? "SUCCESS" : "INVALID_ACCESS_TOKEN";
}

/** A code or a refresh token gives the same pair until that pair is used. */
export function applyCodeOf(given: ModelPair | undefined, status: AgreementStatus, refused: string): string {
  const isGood = status === "ACTIVE" && given && !given.isUsed && !given.isRetired;
  return isGood ? "SUCCESS" : refused;
}

export function refreshCodeOf(pair: ModelPair, status: AgreementStatus): string {
  const refused = "INVALID_REFRESH_TOKEN";
  if (pair.replacedBy) return applyCodeOf(pair.replacedBy, status, refused);
  return status === "ACTIVE" && !pair.isRetired ? "SUCCESS" : refused;
}
