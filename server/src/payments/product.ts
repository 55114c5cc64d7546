import { parseExpiry } from "../core/request-time.ts";
import { need, needsWhen, type Need } from "../core/conditional-required.ts";
import { lifetimeSeconds, neededInStore, scenarioOf, type InStoreRequest } from "./in-store.ts";
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
  readonly needs: readonly Need[];
  /** How long the payment can be paid: the default, and the maximum. */
  lifetime(request: ProductRequest): { readonly usualSeconds: number; readonly maxSeconds: number };
  /** Error message for a paymentExpiryTime out of range. */
  readonly expiryRule: string;
}

const twoDays = 48 * 3600;
const withinTwoDays = "paymentExpiryTime must be in the future, and at most 48 hours ahead.";

export const products: Readonly<Record<ProductCode, Product>> = {
  CASHIER_PAYMENT: {
    needs: [
      need("paymentRedirectUrl"),
      need("env"),
      need("env.osType", { "env.terminalType": ["WAP", "APP"] }),
      need("appId", { "env.terminalType": ["MINI_APP"] }),
    ],
    lifetime: () => ({ usualSeconds: 14 * 60, maxSeconds: twoDays }),
    expiryRule: withinTwoDays,
  },
  IN_STORE_PAYMENT: {
    needs: neededInStore,
    lifetime: (request) => {
      // The scenario of an in-store payment is a required field, so the default is never used.
      const usualSeconds = lifetimeSeconds[scenarioOf(request) ?? "PaymentCode"];
      return { usualSeconds, maxSeconds: twoDays };
    },
    expiryRule: withinTwoDays,
  },
  AGREEMENT_PAYMENT: {
    needs: [need("paymentMethod.paymentMethodId")],
    // The lifetime is short, because no buyer has to act.
    lifetime: () => ({ usualSeconds: 60, maxSeconds: 60 }),
    expiryRule: "With an access token, paymentExpiryTime must be within the next minute.",
  },
};

/** Required fields of `pay` for all products, each with its product code as the condition. */
export const payNeeds: readonly Need[] = Object.entries(products).flatMap(([productCode, { needs }]) =>
  needsWhen({ productCode: [productCode] }, needs),
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
  const { usualSeconds, maxSeconds } = product.lifetime(request);
  const { paymentExpiryTime } = request;
  if (paymentExpiryTime === undefined) return new Date(now.getTime() + usualSeconds * 1000);
  const askedMs = parseExpiry(paymentExpiryTime, now, aheadMs);
  if (askedMs === undefined || askedMs <= now.getTime()) return undefined;
  return askedMs > now.getTime() + maxSeconds * 1000 ? undefined : new Date(askedMs);
}
