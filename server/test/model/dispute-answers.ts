import assert from "node:assert/strict";
import fc from "fast-check";
import { newCommand, arbitraryTarget } from "./model-command.ts";
import { disputeAt, hasDispute } from "./dispute-commands.ts";
import {
  acceptCode,
  codesOfAnswer,
  defendCode,
  viewsOfDispute,
  type DisputeView,
  type ModelDispute,
} from "./dispute-model.ts";
import { describeDispute, waitUntilNotified } from "./dispute-events.ts";
import { repeatUntilFinal, type Real } from "./run-context.ts";
import type { ModelPayment } from "./merchant-model.ts";
import { someCallFault } from "./pay-commands.ts";
import { allowedBy } from "./expected-effects.ts";
import type { Answer } from "./real-system.ts";

/**
 * Commands in which the merchant accepts a dispute, or defends itself. A repeat of an answer in progress gets the same
 * response.
 */
export const disputeAnswerCommands = fc
  .tuple(
    arbitraryTarget,
    fc.nat(),
    fc.constantFrom("accept", "defend", "defend", "defend again"),
    someCallFault,
    fc.boolean(),
  )
  .map(([target, nth, action, fault, isPatient]) =>
    newCommand(`${action} dispute of ${target.name}${isPatient ? " patiently" : ""}`, fault, {
      check: (model) => hasDispute(model, target),
      async run(model, real) {
        const { payment, dispute } = disputeAt(model, target, nth);
        await waitUntilNotified(real, payment, dispute);
        const { paymentId } = payment;
        const verb = action === "accept" ? "accept-dispute" : "defend-dispute";
        if (fault)
          await real.system.provider.fault({ kind: fault, match: { paymentId, verb }, delayMs: 200 });
        const document = `%PDF- ${action === "defend again" ? "another" : "the first"}`;
        const kind = action === "accept" ? "ACCEPT" : "DEFEND";
        const first = await answer(real, payment, dispute, { kind, document });
        if (isPatient && first.status === "U")
          await repeatUntilFinal(real, () => answer(real, payment, dispute, { kind, document }));
      },
    }),
  );

interface AnswerContent {
  readonly kind: "ACCEPT" | "DEFEND";
  readonly document: string;
}

async function answer(
  real: Real,
  payment: ModelPayment,
  dispute: ModelDispute,
  content: AnswerContent,
): Promise<Answer> {
  const { kind, document } = content;
  const { disputeId, knownStateIndex } = dispute;
  const disputeEvidence = Buffer.from(document).toString("base64");
  const response = await (kind === "ACCEPT"
    ? real.system.call(real.merchant, "acceptDispute", { disputeId })
    : real.system.call(real.merchant, "supplyDefenseDocument", { disputeId, disputeEvidence }));
  const codesIfAccepted = codesOfAnswer(kind, dispute.states().slice(knownStateIndex));
  const codesIn = (view: DisputeView): readonly string[] =>
    allowedBy(
      kind === "ACCEPT" ? acceptCode(dispute, view) : defendCode(dispute, view, document),
      codesIfAccepted,
    );
  const views = viewsOfDispute(dispute);
  const matchingViews = views.filter((view) => codesIn(view).includes(response.code));
  const allowed = [...new Set(views.flatMap(codesIn))].join(" or ");
  assert.ok(
    matchingViews.length > 0,
    `${kind} is ${response.code}, not ${allowed}: ${describeDispute(payment, dispute)}`,
  );
  const stateIndexes = [...new Set(matchingViews.map(({ index }) => index))];
  dispute.knownStateIndex = Math.min(...stateIndexes);
  if (response.status === "S") assert.equal(response.json["disputeId"], disputeId);
  if (response.status !== "F") dispute.answer = { kind, document, stateIndexes };
  return response;
}
