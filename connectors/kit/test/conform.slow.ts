import { test } from "node:test";
import { checkConformance } from "./check-conformance.ts";
import { startTestConnector } from "./test-connector.ts";

test("`tollgate conform connector` finds no broken case in the toy connector", async () => {
  const connector = await startTestConnector();
  await checkConformance({
    connector,
    methodType: "TOY",
    decide(address, decision) {
      const payment = connector.fake.payments.find(({ id }) => address.endsWith(id));
      if (payment) connector.fake.act(payment.reference, decision);
    },
  });
});
