import { after, test } from "node:test";
import { checkConformance } from "../../kit/test/check-conformance.ts";
import { startFakeStripe } from "./fake-stripe.ts";
import { startTestStripe } from "./test-stripe.ts";

test("`tollgate conform connector` finds no broken case in the Stripe connector", async () => {
  const stripe = await startFakeStripe("test-only-webhook-secret");
  after(() => stripe.stop());
  const connector = await startTestStripe(stripe, 1);
  await checkConformance({
    connector,
    methodType: "CARD",
    decide(address, decision) {
      const session = stripe.state.sessions.find(({ url }) => url === address);
      const reference = String(session?.["client_reference_id"]);
      stripe.pay(reference, decision === "approve" ? "paid" : "failed");
    },
  });
});
