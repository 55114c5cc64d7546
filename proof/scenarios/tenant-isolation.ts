import { askRefund, makePayment, runScenario } from "../trial/scenario.ts";

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
      const paid = await makePayment(trial, merchant, `isolation-${index}`);
      const { paymentId, paymentRequestId: requestId } = paid;
      for (const other of merchants.filter((each) => each !== merchant)) {
        const asked = { merchant: other, requestId, body: { paymentId } };
        await trial.ask(index % 2, { verb: "inquiryPayment", ...asked });
        await trial.ask(index % 2, { verb: "cancel", ...asked });
        await askRefund(trial, { ...paid, merchant: other });
      }
    }
  },
});
