import { askRefund, makePayment, mistrustTheWallet, runScenario } from "../scenario.ts";

const refunds = 4;
/** How long the wallet does not know what it has done; the quiet time is longer. */
const lagMs = 4_000;
const quietSeconds = 10;

/**
 * The wallet has made a refund, its answer is lost, and on being asked it does not know of any. That must not be
 * believed before a message that was on its way must have arrived.
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
