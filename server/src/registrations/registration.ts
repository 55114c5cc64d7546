import type { Backoff } from "../core/backoff.ts";
import type { Lifecycle } from "../core/lifecycle.ts";

/** A wallet's decision. NOT_NEEDED: it has no registration. */
export type WalletStatus = "PROCESSING" | "APPROVED" | "REJECTED" | "NOT_NEEDED";

/** A wallet's decision on one request is final; a rejected merchant sends a new request. */
export const registrationLifecycle = {
  PROCESSING: ["APPROVED", "REJECTED", "NOT_NEEDED"],
  APPROVED: [],
  REJECTED: [],
  NOT_NEEDED: [],
} as const satisfies Lifecycle<WalletStatus>;

export type RegistrationStatus = "PROCESSING" | "COMPLETED" | "REJECTED";

/** What a merchant told of itself or of a store, for the wallets to look at. */
export type Details = Readonly<Record<string, unknown>>;

/** One request to be registered, and where each wallet stands. */
export interface Registration {
  readonly bucket: number;
  readonly clientId: string;
  readonly registrationId: string;
  readonly registrationRequestId: string;
  readonly referenceMerchantId: string;
  /** Undefined when it is the merchant itself. */
  readonly referenceStoreId: string | undefined;
  readonly productCodes: readonly string[];
  readonly merchantInfo: Details;
  readonly storeInfo: Details | undefined;
  readonly notifyUrl: string | undefined;
  readonly passThroughInfo: string | undefined;
  /** Idempotency: a hash of the fields that a repeat must have equal. */
  readonly fingerprint: Uint8Array;
  /** Grows with every decision. */
  readonly sequence: number;
  readonly createdAt: Date;
  readonly wallets: readonly WalletRegistration[];
}

export interface WalletRegistration {
  readonly connector: string;
  readonly status: WalletStatus;
  readonly rejectReasons: readonly string[];
  /** Idempotency key at the wallet: derived from the request, so that every retry sends the same. */
  readonly reference: string;
  /** When the wallet accepted it for review; from then on it is polled, not sent. */
  readonly acceptedAt: Date | undefined;
}

/** PROCESSING while a wallet has to decide; REJECTED when one has rejected and none accepted. */
export function statusOf({ wallets }: Pick<Registration, "wallets">): RegistrationStatus {
  if (wallets.some(({ status }) => status === "PROCESSING")) return "PROCESSING";
  const isRejected = wallets.some(({ status }) => status === "REJECTED");
  return isRejected && !wallets.some(({ status }) => status === "APPROVED") ? "REJECTED" : "COMPLETED";
}

export interface RegistrationResult {
  readonly registrationStatus: string;
  readonly rejectReasons?: string[];
}

/** As it is told, in answers and in notifications. */
export interface ToldResult {
  readonly registrationResult: RegistrationResult;
  readonly pspRegistrationResultList: { pspName: string; registrationResult: RegistrationResult }[];
}

export function toldResult(registration: Registration): ToldResult {
  const { wallets } = registration;
  const status = statusOf(registration);
  const reasons = status === "REJECTED" ? wallets.flatMap(({ rejectReasons }) => rejectReasons) : [];
  return {
    registrationResult: resultOf(status, reasons),
    pspRegistrationResultList: wallets
      .filter((each) => each.status !== "NOT_NEEDED")
      .map((each) => ({
        pspName: each.connector,
        registrationResult: resultOf(each.status, each.rejectReasons),
      })),
  };
}

function resultOf(registrationStatus: string, rejectReasons: readonly string[]): RegistrationResult {
  return { registrationStatus, ...(rejectReasons.length > 0 && { rejectReasons: [...rejectReasons] }) };
}

/** Why the same merchant, or store, is not registered again, or undefined when it may be. */
export function registrationRefusal(
  earlier: Registration | undefined,
  isSame: boolean,
  connectors: readonly string[],
): "ABNORMAL_REGISTRATION_STATUS" | "REPEAT_REGISTRATION" | undefined {
  if (!earlier) return undefined;
  if (statusOf(earlier) === "PROCESSING") return "ABNORMAL_REGISTRATION_STATUS";
  const decided = earlier.wallets
    .filter(({ status }) => status !== "REJECTED")
    .map(({ connector }) => connector);
  // Other details are a change; and a connector that was added since has not been asked yet.
  return isSame && connectors.every((name) => decided.includes(name)) ? "REPEAT_REGISTRATION" : undefined;
}

/** Some wallets decide at once, some take a week. */
export const registrationBackoff: Backoff = [1, 2, 5, 15, 60, 300, 900, 3_600];
