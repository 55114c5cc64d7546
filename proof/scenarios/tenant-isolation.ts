import { requestRefund, makePayment, runScenario } from "../trial/scenario.ts";

const payments = 8;

/**
 * Tenant isolation: every merchant sends inquiries, cancels and refunds for the payments of every other, by their ids.
 */
await runScenario({
  name: "tenant-isolation",
  async run(trial) {
    const { merchants } = trial.installation;
    for (let index = 0; index < payments; index += 1) {
      const merchant = trial.random.pick(merchants);
      const payment = await makePayment(trial, merchant, `isolation-${index}`);
      const { paymentId, paymentRequestId: requestId } = payment;
      for (const otherMerchant of merchants.filter((candidate) => candidate !== merchant)) {
        const request = { merchant: otherMerchant, requestId, body: { paymentId } };
        await trial.send(index % 2, { verb: "inquiryPayment", ...request });
        await trial.send(index % 2, { verb: "cancel", ...request });
        await requestRefund(trial, { ...payment, merchant: otherMerchant });
      }
    }
  },
});
