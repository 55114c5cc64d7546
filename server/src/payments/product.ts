import { parseExpiry } from "../core/request-time.ts";
import { need, needsWhen, type Need } from "../core/need.ts";
import { lifetimeSeconds, neededInStore, scenarioOf, type InStoreRequest } from "./in-store.ts";
import type { ProductCode } from "./payment.ts";

/** The fields of `pay` that the rules of a product use. */
export interface ProductRequest extends InStoreRequest {
  readonly paymentRedirectUrl?: string;
  readonly paymentExpiryTime?: string;
  readonly env?: { readonly terminalType?: string; readonly osType?: string };
  readonly appId?: string;
}

/** One of the ways to pay, as far as their rules differ. */
interface Product {
  /** The fields that it needs, beyond those that every payment has. */
  readonly needs: readonly Need[];
  /** How long it can be paid: when the merchant does not say, and at most. */
  lifetime(request: ProductRequest): { readonly usualSeconds: number; readonly maxSeconds: number };
  /** Message for a paymentExpiryTime out of range. */
  readonly expiryRule: string;
}

const twoDays = 48 * 3600;
const withinTwoDays = "paymentExpiryTime has to be in the future, and no more than 48 hours away.";

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
      // The scenario is one of the fields that must not be missing.
      const usualSeconds = lifetimeSeconds[scenarioOf(request) ?? "PaymentCode"];
      return { usualSeconds, maxSeconds: twoDays };
    },
    expiryRule: withinTwoDays,
  },
  AGREEMENT_PAYMENT: {
    needs: [need("paymentMethod.paymentMethodId")],
    // Short, because no buyer has to act.
    lifetime: () => ({ usualSeconds: 60, maxSeconds: 60 }),
    expiryRule: "With an access token, paymentExpiryTime is in the next minute.",
  },
};

/** The same for all products: what `pay` needs when. */
export const payNeeds: readonly Need[] = Object.entries(products).flatMap(([productCode, { needs }]) =>
  needsWhen({ productCode: [productCode] }, needs),
);

/** Until when it can be paid; undefined when the merchant asks for more than its product allows. */
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
