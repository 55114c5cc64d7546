import { requestRefund, makePayment, registerAsNotIdempotent, runScenario } from "../trial/scenario.ts";

const refunds = 4;
/** Stale reads: for these milliseconds the provider's inquiry does not find the refund. The quiet time is longer. */
const lagMs = 4_000;
const quietSeconds = 10;

/**
 * The provider has made a refund, its response is lost, and its inquiry does not find the refund. The gateway must not
 * trust this during the quiet time, in which a delayed request could still arrive.
 */
await runScenario({
  name: "not-found",
  async run(trial) {
    await registerAsNotIdempotent(trial, { quietSeconds });
    const { merchants, control } = trial.installation;
    for (let index = 0; index < refunds; index += 1) {
      const payment = await makePayment(trial, trial.random.pick(merchants), `not-found-${index}`);
      const match = { paymentId: payment.paymentId, verb: "refund" };
      await control("POST", "/control/faults", { kind: "answer-lost", match });
      await control("POST", "/control/faults", { kind: "inquiry-lag", match, delayMs: lagMs });
      await requestRefund(trial, payment);
    }
  },
});
