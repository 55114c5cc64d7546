import { parseExpiry } from "../core/request-time.ts";
import { requireField, requireFieldsWhen, type RequiredField } from "../core/conditional-required.ts";
import {
  defaultLifetimeSeconds,
  inStoreRequiredFields,
  scenarioOf,
  type InStoreRequest,
} from "./in-store.ts";
import type { ProductCode } from "./payment.ts";

/** The fields of `pay` that the rules of a product use. */
export interface ProductRequest extends InStoreRequest {
  readonly paymentRedirectUrl?: string;
  readonly paymentExpiryTime?: string;
  readonly env?: { readonly terminalType?: string; readonly osType?: string };
  readonly appId?: string;
}

/** Rules of one product code. */
interface Product {
  /** Required fields of this product, in addition to those of every payment. */
  readonly requiredFields: readonly RequiredField[];
  /** How long the payment can be paid: the default, and the maximum. */
  lifetime(request: ProductRequest): { readonly defaultSeconds: number; readonly maxSeconds: number };
  /** Error message for a paymentExpiryTime out of range. */
  readonly expiryRule: string;
}

const twoDaysSeconds = 48 * 3600;
const twoDayLimitDetail = "paymentExpiryTime must be in the future, and at most 48 hours ahead.";

export const products: Readonly<Record<ProductCode, Product>> = {
  CASHIER_PAYMENT: {
    requiredFields: [
      requireField("paymentRedirectUrl"),
      requireField("env"),
      requireField("env.osType", { "env.terminalType": ["WAP", "APP"] }),
      requireField("appId", { "env.terminalType": ["MINI_APP"] }),
    ],
    lifetime: () => ({ defaultSeconds: 14 * 60, maxSeconds: twoDaysSeconds }),
    expiryRule: twoDayLimitDetail,
  },
  IN_STORE_PAYMENT: {
    requiredFields: inStoreRequiredFields,
    lifetime: (request) => {
      // The scenario of an in-store payment is a required field, so the default is never used.
      const defaultSeconds = defaultLifetimeSeconds[scenarioOf(request) ?? "PaymentCode"];
      return { defaultSeconds, maxSeconds: twoDaysSeconds };
    },
    expiryRule: twoDayLimitDetail,
  },
  AGREEMENT_PAYMENT: {
    requiredFields: [requireField("paymentMethod.paymentMethodId")],
    // The lifetime is short, because no buyer has to act.
    lifetime: () => ({ defaultSeconds: 60, maxSeconds: 60 }),
    expiryRule: "With an access token, paymentExpiryTime must be within the next minute.",
  },
};

/** Required fields of `pay` for all products, each with its product code as the condition. */
export const payRequiredFields: readonly RequiredField[] = Object.entries(products).flatMap(
  ([productCode, { requiredFields }]) => requireFieldsWhen({ productCode: [productCode] }, requiredFields),
);

/**
 * `expiryOf` returns the time when a payment expires; undefined if the requested expiry is outside the limits of the
 * product.
 */
export function expiryOf(
  product: Product,
  request: ProductRequest,
  now: Date,
  aheadMs: number,
): Date | undefined {
  const { defaultSeconds, maxSeconds } = product.lifetime(request);
  const { paymentExpiryTime } = request;
  if (paymentExpiryTime === undefined) return new Date(now.getTime() + defaultSeconds * 1000);
  const requestedMs = parseExpiry(paymentExpiryTime, now, aheadMs);
  if (requestedMs === undefined || requestedMs <= now.getTime()) return undefined;
  return requestedMs > now.getTime() + maxSeconds * 1000 ? undefined : new Date(requestedMs);
}
