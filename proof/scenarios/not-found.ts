import { askRefund, makePayment, mistrustTheWallet, runScenario } from "../scenario.ts";

const refunds = 4;
/** Stale reads: how long the wallet's inquiry does not find the refund; the quiet time is longer. */
const lagMs = 4_000;
const quietSeconds = 10;

/**
 * The wallet has made a refund, its answer is lost, and its inquiry does not find the refund. The gateway
 * must not believe that during the quiet time, in which a delayed request could still arrive.
 */
await runScenario({
  name: "not-found",
  async run(trial) {
    await mistrustTheWallet(trial, { quietSeconds });
    const { merchants, control } = trial.installation;
    for (let index = 0; index < refunds; index += 1) {
      const paid = await makePayment(trial, trial.random.pick(merchants), `not-found-${index}`);
      const match = { paymentId: paid.paymentId, verb: "refund" };
      await control("POST", "/control/faults", { kind: "answer-lost", match });
      await control("POST", "/control/faults", { kind: "inquiry-lag", match, delayMs: lagMs });
      await askRefund(trial, paid);
    }
  },
});
