import assert from "node:assert/strict";
import fc from "fast-check";
import { command, someTarget } from "./command.ts";
import { disputeAt, hasDispute } from "./dispute-commands.ts";
import {
  acceptCode,
  codesOfAnswer,
  defendCode,
  viewsOfDispute,
  type DisputeView,
  type ModelDispute,
} from "./dispute-model.ts";
import { describedDispute, untilTold } from "./dispute-events.ts";
import { untilFinal, type Real } from "./run-context.ts";
import type { ModelPayment } from "./merchant-model.ts";
import { someCallFault } from "./pay-commands.ts";
import { allowedBy } from "./expected-effects.ts";
import type { Answer } from "./world.ts";

/**
 * Commands in which the merchant accepts a dispute, or defends itself. A repeat of an answer in progress gets the same
 * response.
 */
export const answers = fc
  .tuple(
    someTarget,
    fc.nat(),
    fc.constantFrom("accept", "defend", "defend", "defend again"),
    someCallFault,
    fc.boolean(),
  )
  .map(([which, nth, what, fault, isPatient]) =>
    command(`${what} dispute of ${which.name}${isPatient ? " patiently" : ""}`, fault, {
      check: (model) => hasDispute(model, which),
      async run(model, real) {
        const { payment, dispute } = disputeAt(model, which, nth);
        await untilTold(real, payment, dispute);
        const { paymentId } = payment;
        const verb = what === "accept" ? "accept-dispute" : "defend-dispute";
        if (fault) await real.world.provider.fault({ kind: fault, match: { paymentId, verb }, delayMs: 200 });
        const document = `%PDF- ${what === "defend again" ? "another" : "the first"}`;
        const kind = what === "accept" ? "ACCEPT" : "DEFEND";
        const first = await answer(real, payment, dispute, { kind, document });
        if (isPatient && first.status === "U")
          await untilFinal(real, () => answer(real, payment, dispute, { kind, document }));
      },
    }),
  );

interface Given {
  readonly kind: "ACCEPT" | "DEFEND";
  readonly document: string;
}

async function answer(
  real: Real,
  payment: ModelPayment,
  dispute: ModelDispute,
  given: Given,
): Promise<Answer> {
  const { kind, document } = given;
  const { disputeId, known } = dispute;
  const disputeEvidence = Buffer.from(document).toString("base64");
  const got = await (kind === "ACCEPT"
    ? real.world.call(real.merchant, "acceptDispute", { disputeId })
    : real.world.call(real.merchant, "supplyDefenseDocument", { disputeId, disputeEvidence }));
  const goingAhead = codesOfAnswer(kind, dispute.states().slice(known));
  const codesIn = (view: DisputeView): readonly string[] =>
    allowedBy(
      kind === "ACCEPT" ? acceptCode(dispute, view) : defendCode(dispute, view, document),
      goingAhead,
    );
  const views = viewsOfDispute(dispute);
  const fitting = views.filter((view) => codesIn(view).includes(got.code));
  const allowed = [...new Set(views.flatMap(codesIn))].join(" or ");
  assert.ok(
    fitting.length > 0,
    `${kind} is ${got.code}, not ${allowed}: ${describedDispute(payment, dispute)}`,
  );
  const at = [...new Set(fitting.map(({ index }) => index))];
  dispute.known = Math.min(...at);
  if (got.status === "S") assert.equal(got.json["disputeId"], disputeId);
  if (got.status !== "F") dispute.answer = { kind, document, at };
  return got;
}
