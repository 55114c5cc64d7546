import { serveConnector } from "../../kit/src/serve-connector.ts";
import { startTestServers, type TestConnector } from "../../kit/test/test-connector.ts";
import { newStripeConnector } from "../src/stripe-connector.ts";
import type { FakeStripe } from "./fake-stripe.ts";

/** Starts servers of the Stripe connector against the fake. */
export async function startTestStripe(stripe: FakeStripe, count: number): Promise<TestConnector> {
  const { host, port } = stripe;
  const connector = await startTestServers(count, (settings, _, now) =>
    serveConnector(newStripeConnector({ host, port, protocol: "http" }), settings, now),
  );
  stripe.webhookUrl = `${connector.servers[0]?.webhooksUrl}/default`;
  return connector;
}
