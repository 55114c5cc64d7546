/** What a buyer has agreed to, as the merchant knows it, and what the merchant may do with it. */
export interface ModelAgreement {
  readonly authState: string;
  /** What the wallet makes of payments. */
  readonly terms: BuyerTerms;
  readonly authCode: string;
  /** Whether the buyer has taken it back at the wallet. */
  isCanceled: boolean;
  /** How it may stand with the gateway: of the buyer's cancel it hears when it hears. */
  may: ReadonlySet<AgreementStatus>;
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
  /** By the pair that was given for its refresh token. */
  replacedBy: ModelPair | undefined;
  /** Good for nothing, because the pair after it was used. */
  isRetired: boolean;
}

export function newPair(json: Readonly<Record<string, unknown>>): ModelPair {
  const { accessToken, refreshToken } = json as { accessToken: string; refreshToken: string };
  return { accessToken, refreshToken, isUsed: false, replacedBy: undefined, isRetired: false };
}

/** Paid with, or refreshed: the ones before it are over. */
export function usePair({ pairs }: ModelAgreement, used: ModelPair): void {
  used.isUsed = true;
  for (const pair of pairs) if (pair !== used && pair.replacedBy) pair.isRetired = true;
}

/** What is answered in each of the ways in which the gateway may see it. */
export function codesIn(
  { may }: ModelAgreement,
  codeIn: (status: AgreementStatus) => string,
): ReadonlyMap<string, readonly AgreementStatus[]> {
  const codes = new Map<string, AgreementStatus[]>();
  for (const status of may) codes.set(codeIn(status), [...(codes.get(codeIn(status)) ?? []), status]);
  return codes;
}

export function payCodeOf(pair: ModelPair, status: AgreementStatus): string {
  if (status !== "ACTIVE") return "AUTHORIZATION_NOT_EXIST";
  return pair.isRetired ? "INVALID_ACCESS_TOKEN" : "SUCCESS";
}

/** Where an access token stands, or why nobody says. */
export function queryCodeOf(pair: ModelPair, status: AgreementStatus): string {
  return status === "ACTIVE" && pair.isRetired ? "INVALID_ACCESS_TOKEN" : status;
}

export function revokeCodeOf(pair: ModelPair, status: AgreementStatus): string {
  return status === "ACTIVE" && !pair.isRetired ? "SUCCESS" : "INVALID_ACCESS_TOKEN";
}

/** A code, or a refresh token, leads to the same pair until that is used. */
export function applyCodeOf(given: ModelPair | undefined, status: AgreementStatus, refused: string): string {
  const isGood = status === "ACTIVE" && given && !given.isUsed && !given.isRetired;
  return isGood ? "SUCCESS" : refused;
}

export function refreshCodeOf(pair: ModelPair, status: AgreementStatus): string {
  const refused = "INVALID_REFRESH_TOKEN";
  if (pair.replacedBy) return applyCodeOf(pair.replacedBy, status, refused);
  return status === "ACTIVE" && !pair.isRetired ? "SUCCESS" : refused;
}
