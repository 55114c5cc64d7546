import { Stripe } from "stripe";
import type { Context } from "../../kit/src/connector.ts";

/** The address of the API: by default Stripe's own, in tests a fake on this machine. */
export interface StripeAddress {
  readonly host: string;
  readonly port: number;
  readonly protocol: "https" | "http";
}

export const stripeAddress: StripeAddress = { host: "api.stripe.com", port: 443, protocol: "https" };

/** Shorter than the gateway's timeout of a message. */
const timeoutMs = 8_000;

export type ClientOf = (context: Context) => Stripe;

/** Returns the SDK's client for the secret key of an account. The SDK never repeats a request: the kit decides. */
export function newClientOf(address: StripeAddress): ClientOf {
  const clients = new Map<string, Stripe>();
  return ({ secrets }) => {
    const [key] = secrets("secret-key");
    const known = clients.get(key);
    if (known) return known;
    const client = new Stripe(key, {
      ...address,
      maxNetworkRetries: 0,
      timeout: timeoutMs,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient(),
    });
    // After a key rotation the old client is not needed any more.
    clients.clear();
    clients.set(key, client);
    return client;
  };
}

/** The options of a request: the connected account (Connect) of the merchant, and the idempotency key of a message. */
export function requestOptions(account: string | undefined, idempotencyKey?: string): Stripe.RequestOptions {
  return {
    ...(account !== undefined && { stripeAccount: account }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}
