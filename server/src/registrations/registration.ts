import type { Backoff } from "../resilience/backoff.ts";
import type { Lifecycle } from "../core/lifecycle.ts";

/** A provider's decision on a registration. NOT_NEEDED means that the provider requires no registration. */
export type ProviderStatus = "PROCESSING" | "APPROVED" | "REJECTED" | "NOT_NEEDED";

/**
 * Allowed transitions of a registration. A provider's decision on one request is final; a rejected merchant sends a new
 * request.
 */
export const registrationLifecycle = {
  PROCESSING: ["APPROVED", "REJECTED", "NOT_NEEDED"],
  APPROVED: [],
  REJECTED: [],
  NOT_NEEDED: [],
} as const satisfies Lifecycle<ProviderStatus>;

export type RegistrationStatus = "PROCESSING" | "COMPLETED" | "REJECTED";

/** Details of a merchant or a store, for review by the providers. */
export type RegistrationDetails = Readonly<Record<string, unknown>>;

/** One registration request, with its status at each provider. */
export interface Registration {
  readonly bucket: number;
  readonly clientId: string;
  readonly registrationId: string;
  readonly registrationRequestId: string;
  readonly referenceMerchantId: string;
  /** The id of the store; undefined for a registration of the merchant itself. */
  readonly referenceStoreId: string | undefined;
  readonly productCodes: readonly string[];
  readonly merchantInfo: RegistrationDetails;
  readonly storeInfo: RegistrationDetails | undefined;
  readonly notifyUrl: string | undefined;
  readonly passThroughInfo: string | undefined;
  /** Idempotency: a hash of the fields that must be equal in a repeated request. */
  readonly fingerprint: Uint8Array;
  /** Increases with every decision. */
  readonly sequence: number;
  readonly createdAt: Date;
  readonly providers: readonly ProviderRegistration[];
}

export interface ProviderRegistration {
  readonly connector: string;
  readonly status: ProviderStatus;
  readonly rejectReasons: readonly string[];
  /** The provider's own id of an approved registration, if it sent one. */
  readonly providerRegistrationId: string | undefined;
  /** Idempotency key at the provider: derived from the request, so that each retry sends the same reference. */
  readonly reference: string;
  /**
   * When the provider accepted the registration for review. From then on, the job polls it and does not send it again.
   */
  readonly acceptedAt: Date | undefined;
}

/**
 * `registrationStatusOf` returns the overall status of a registration: PROCESSING until all providers have decided, and
 * REJECTED if at least one has rejected and none accepted.
 */
export function registrationStatusOf({ providers }: Pick<Registration, "providers">): RegistrationStatus {
  if (providers.some(({ status }) => status === "PROCESSING")) return "PROCESSING";
  const isRejected = providers.some(({ status }) => status === "REJECTED");
  return isRejected && !providers.some(({ status }) => status === "APPROVED") ? "REJECTED" : "COMPLETED";
}

export interface RegistrationResult {
  readonly registrationStatus: string;
  readonly rejectReasons?: string[];
}

/** The result of a registration as in responses and webhooks. */
export interface RegistrationOutcome {
  readonly registrationResult: RegistrationResult;
  readonly pspRegistrationResultList: { pspName: string; registrationResult: RegistrationResult }[];
}

export function registrationOutcome(registration: Registration): RegistrationOutcome {
  const { providers } = registration;
  const status = registrationStatusOf(registration);
  const reasons = status === "REJECTED" ? providers.flatMap(({ rejectReasons }) => rejectReasons) : [];
  return {
    registrationResult: resultOf(status, reasons),
    pspRegistrationResultList: providers
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

/**
 * `registrationRefusal` returns the reason to refuse another registration of the same merchant or store, or undefined.
 */
export function registrationRefusal(
  earlier: Registration | undefined,
  isSame: boolean,
  connectors: readonly string[],
): "ABNORMAL_REGISTRATION_STATUS" | "REPEAT_REGISTRATION" | undefined {
  if (!earlier) return undefined;
  if (registrationStatusOf(earlier) === "PROCESSING") return "ABNORMAL_REGISTRATION_STATUS";
  const decided = earlier.providers
    .filter(({ status }) => status !== "REJECTED")
    .map(({ connector }) => connector);
  // Other details are a change of the registration. A connector that was added since the earlier registration has not
  // decided yet.
  return isSame && connectors.every((name) => decided.includes(name)) ? "REPEAT_REGISTRATION" : undefined;
}

/** Backoff of registrations in seconds: one provider decides immediately, another takes a week. */
export const registrationBackoff: Backoff = [1, 2, 5, 15, 60, 300, 900, 3_600];
