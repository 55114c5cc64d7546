import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { parseWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import {
  ensure,
  requiredCase,
  NotObservable,
  advisedCase,
  type Case,
  type CaseGroup,
} from "../conformance-case.ts";
import { requireFacts } from "./facts-cases.ts";
import {
  amountIn,
  captureOperation,
  buildFields,
  readRecordId,
  move,
  unsupportedCodes,
  prepareOrder,
  refundOperation,
  readReport,
  fullAmount,
  moneyStates,
  type MoneyOperation,
} from "./money-operation.ts";
import {
  call,
  requireCode,
  requireState,
  requireSuccess,
  inquireOrder,
  oneMinuteAgo,
  readOrder,
  send,
  oneMinuteAhead,
  submitOrder,
  type Fields,
  type ProviderContext,
} from "./provider-context.ts";

/** The reports of one capture or refund: the response, the inquiry and the request that they belong to. */
interface Reports {
  readonly requested: Fields;
  readonly reports: ReadonlyMap<string, Fields>;
}

/** Captures or refunds a part, or the full amount if the provider supports no parts, and then sends an inquiry. */
async function collectReports(context: ProviderContext, kind: MoneyOperation): Promise<Reports> {
  const order = await prepareOrder(context, kind);
  const partialRequest = buildFields(context, kind, order, "500");
  const partialAnswer = await call(context, kind.verb, partialRequest);
  const isPartialAccepted = partialAnswer.resultStatus === "S";
  const requested = isPartialAccepted ? partialRequest : buildFields(context, kind, order, fullAmount);
  const answer = isPartialAccepted ? partialAnswer : await call(context, kind.verb, requested);
  if (unsupportedCodes.includes(answer.resultCode))
    throw new NotObservable(
      `the provider makes no ${kind.verb}s (${answer.resultCode}): --${kind.verb}s NONE.`,
    );
  requireSuccess(answer, kind.verb);
  const inquireVerb = `inquire-${kind.verb}`;
  const found = await call(context, inquireVerb, {
    [kind.referenceField]: requested[kind.referenceField],
  });
  requireSuccess(found, inquireVerb);
  const reports = new Map([
    [kind.verb, readReport(answer, kind)],
    [inquireVerb, readReport(found, kind)],
  ]);
  return { requested, reports };
}

const notIdempotentHint =
  "If you can not, the gateway sends each message once and then only sends inquiries: --idempotent no.";

function buildCases(kind: MoneyOperation): readonly Case<ProviderContext>[] {
  return [
    ...creationCases(kind),
    ...reportCases(kind),
    ...repeatCases(kind),
    ...limitCases(kind),
    ...partCases(kind),
  ];
}

function creationCases(kind: MoneyOperation): readonly Case<ProviderContext>[] {
  const { verb, referenceField } = kind;
  const inquireVerb = `inquire-${verb}`;
  return [
    requiredCase(
      verb,
      `a ${verb} succeeds, and an inquiry reports it at once`,
      `Answer S with ${verb}: reference, ${referenceField}, ${kind.idField}, state, amount, and its time when it is done.`,
      async (context) => {
        const order = await prepareOrder(context, kind);
        const answer = await move(context, kind, order, fullAmount);
        requireSuccess(answer, verb);
        const record = (answer.json[verb] ?? {}) as Fields;
        ensure(typeof record[kind.idField] === "string", `${kind.idField} is missing.`);
        const found = await call(context, inquireVerb, { [referenceField]: record[referenceField] });
        ensure(readRecordId(found, kind) === record[kind.idField], `${inquireVerb} does not find it.`);
      },
    ),
    requiredCase(
      `${inquireVerb}-unknown`,
      `a ${verb} that was never sent does not exist`,
      "Answer F ORDER_NOT_EXIST.",
      async (context) =>
        requireCode(
          await call(context, inquireVerb, { [referenceField]: newRequestId(verb) }),
          "ORDER_NOT_EXIST",
          ...unsupportedCodes,
        ),
    ),
  ];
}

/** The gateway accepts a capture or refund report only if it repeats the values of its request, with state and time. */
function reportCases(kind: MoneyOperation): readonly Case<ProviderContext>[] {
  const { verb, referenceField, timeField } = kind;
  return [
    requiredCase(
      `${verb}-report-request`,
      `a report of a ${verb} has the amount, the currency and the references of its request`,
      `Report the amount of this ${verb}, not of the order, with reference and ${referenceField} as they were sent. The gateway does not accept any other report, and alerts its operator.`,
      async (context) => {
        const { requested, reports } = await collectReports(context, kind);
        for (const [from, report] of reports) {
          const found = amountIn(report);
          ensure(
            found === amountIn(requested),
            `${from} reports the amount ${found}instead of ${amountIn(requested)}.`,
          );
          for (const name of ["reference", referenceField])
            ensure(
              report[name] === requested[name],
              `${from} reports the ${name} ${String(report[name])}, and not ${String(requested[name])}.`,
            );
        }
      },
    ),
    requiredCase(
      `${verb}-report-time`,
      `a report of a ${verb} has its state, and its time when it is done`,
      `Report the state DONE with ${timeField}, or PROCESSING, or FAILED with resultCode.`,
      async (context) => {
        const { reports } = await collectReports(context, kind);
        for (const [from, report] of reports) {
          const { state, [timeField]: time } = report;
          ensure(moneyStates.includes(String(state)), `${from} reports the state ${String(state)}.`);
          if (state !== "DONE") continue;
          const isTime = typeof time === "string" && parseWireTime(time) !== undefined;
          ensure(isTime, `${from} reports the ${timeField} ${String(time)}.`);
        }
      },
    ),
  ];
}

function repeatCases(kind: MoneyOperation): readonly Case<ProviderContext>[] {
  const { verb, referenceField } = kind;
  return [
    advisedCase(
      `${verb}-repeated`,
      `a repeated ${verb} moves the money once`,
      `Keep one ${verb} per ${referenceField}, permanently. ${notIdempotentHint}`,
      async (context) => {
        const order = await prepareOrder(context, kind);
        const fields = buildFields(context, kind, order, fullAmount);
        const firstAnswer = await call(context, verb, fields);
        requireSuccess(firstAnswer, verb);
        const repeatedAnswer = await call(context, verb, fields);
        requireSuccess(repeatedAnswer, `the second ${verb}`);
        ensure(
          readRecordId(firstAnswer, kind) === readRecordId(repeatedAnswer, kind),
          `The repeat created another ${verb}.`,
        );
      },
    ),
    advisedCase(
      `${verb}-answer-lost`,
      `a ${verb} whose response was lost is found, or created by the repeated request`,
      `Keep one ${verb} per ${referenceField}, permanently. ${notIdempotentHint}`,
      async (context) => {
        const order = await prepareOrder(context, kind);
        const fields = buildFields(context, kind, order, fullAmount);
        await send(context, verb, fields, { cut: "whole" });
        requireSuccess(await call(context, verb, fields), `the second ${verb}`);
      },
    ),
    requiredCase(
      `${verb}-other-amount`,
      `the same ${referenceField} with another amount is rejected`,
      "Answer F REPEAT_REQ_INCONSISTENT.",
      async (context) => {
        const order = await prepareOrder(context, kind);
        const fields = buildFields(context, kind, order, fullAmount);
        requireSuccess(await call(context, verb, fields), verb);
        const amount = { currency: context.currency, value: "1249" };
        requireCode(await call(context, verb, { ...fields, amount }), "REPEAT_REQ_INCONSISTENT");
      },
    ),
  ];
}

function limitCases(kind: MoneyOperation): readonly Case<ProviderContext>[] {
  const { verb, referenceField } = kind;
  return [
    requiredCase(
      `${verb}-too-much`,
      `a ${verb} of more than the available amount is rejected`,
      `Answer F ${kind.exceededCode}; amounts in progress count as well.`,
      async (context) => {
        const order = await prepareOrder(context, kind);
        requireCode(await move(context, kind, order, "1251"), kind.exceededCode);
      },
    ),
    requiredCase(
      `${verb}-too-much-at-once`,
      `concurrent ${verb}s never exceed the available amount`,
      `Lock the order while you compare and move: at most two of four ${verb}s of 500 fit into 1250.`,
      async (context) => {
        const order = await prepareOrder(context, kind);
        const answers = await Promise.all(Array.from({ length: 4 }, () => move(context, kind, order, "500")));
        const doneCount = answers.filter(({ resultStatus }) => resultStatus === "S").length;
        ensure(doneCount <= 2, `${doneCount} of them succeeded.`);
      },
    ),
    requiredCase(
      `${verb}-other-currency`,
      `a ${verb} in another currency is rejected`,
      "Answer F CURRENCY_NOT_SUPPORT.",
      async (context) => {
        const order = await prepareOrder(context, kind);
        const amount = { currency: context.currency === "USD" ? "EUR" : "USD", value: "1" };
        const answer = await call(context, verb, { ...buildFields(context, kind, order, "1"), amount });
        ensure(answer.resultStatus === "F", `It was answered ${answer.resultStatus} ${answer.resultCode}.`);
      },
    ),
    requiredCase(
      `${verb}-not-paid`,
      `a ${verb} of what is not ${verb === "refund" ? "paid" : "held"} is refused`,
      "Answer F ORDER_STATUS_INVALID.",
      async (context) => {
        const order = await submitOrder(context);
        requireCode(
          await call(context, verb, buildFields(context, kind, order, "1")),
          "ORDER_STATUS_INVALID",
          ...unsupportedCodes,
        );
      },
    ),
    requiredCase(
      `${verb}-unknown-order`,
      `a ${verb} of an unknown order is rejected`,
      "Answer F ORDER_NOT_EXIST.",
      async (context) => {
        const fields = {
          reference: newRequestId("conform"),
          [referenceField]: newRequestId(verb),
          notAfter: oneMinuteAhead(),
        };
        const answer = await call(context, verb, {
          ...fields,
          amount: { currency: context.currency, value: "1" },
        });
        requireCode(answer, "ORDER_NOT_EXIST", ...unsupportedCodes);
      },
    ),
  ];
}

/**
 * Cases about partial captures or refunds. A provider may lack this feature; a setting of its connector then states
 * this.
 */
function partCases(kind: MoneyOperation): readonly Case<ProviderContext>[] {
  const { verb } = kind;
  return [
    advisedCase(
      `${verb}-late`,
      `a ${verb} after its notAfter moves no money, and may be sent again`,
      "Answer F MESSAGE_EXPIRED, and store nothing. If you can not, state how long a message may be in transit before it takes effect: --quiet-seconds.",
      async (context) => {
        const order = await prepareOrder(context, kind);
        const fields = buildFields(context, kind, order, fullAmount);
        requireCode(await call(context, verb, { ...fields, notAfter: oneMinuteAgo() }), "MESSAGE_EXPIRED");
        requireSuccess(await call(context, verb, fields), `the same ${verb} before its notAfter`);
      },
    ),
    advisedCase(
      `${verb}-part`,
      `a ${verb} of a part succeeds`,
      verb === "refund"
        ? "If only the full amount can be refunded, set --refunds FULL."
        : "If only the full amount can be captured, the gateway rejects the merchant's partial captures.",
      async (context) => {
        const order = await prepareOrder(context, kind);
        requireSuccess(await move(context, kind, order, "500"), `${verb} of 500`);
      },
    ),
    advisedCase(
      `${verb}-in-parts`,
      `several partial ${verb}s succeed`,
      verb === "refund"
        ? "If only one refund is possible, set --refunds ONCE."
        : "If only one capture is possible, set --captures ONE.",
      async (context) => {
        await requireSeveral(context, kind);
        const order = await prepareOrder(context, kind);
        for (const value of ["500", "750"])
          requireSuccess(await move(context, kind, order, value), `${verb} of ${value}`);
      },
    ),
  ];
}

/** A limit that the facts state is respected by the gateway, so nothing beyond it is checked. */
async function requireSeveral(context: ProviderContext, { verb }: MoneyOperation): Promise<void> {
  const facts = await requireFacts(context).catch(() => undefined);
  const stated = verb === "refund" ? facts?.refunds : facts?.captures;
  if (stated !== undefined && stated !== "MANY")
    throw new NotObservable(`the facts state ${verb}s: ${stated}.`);
}

export const refundCases: CaseGroup<ProviderContext> = {
  name: "Refunds",
  cases: buildCases(refundOperation),
};

export const captureCases: CaseGroup<ProviderContext> = {
  name: "Authorization holds and captures",
  cases: [
    ...buildCases(captureOperation),
    requiredCase(
      "hold-let-go",
      "a cancel releases the authorization hold",
      "Answer S with the order, CLOSED: nothing was captured, and the hold on the buyer's money is released.",
      async (context) => {
        const { reference } = await prepareOrder(context, captureOperation);
        requireState(
          readOrder(await call(context, "cancel", { reference, notAfter: oneMinuteAhead() }), reference),
          "CLOSED",
        );
      },
    ),
    requiredCase(
      "hold-captured-stays",
      "a cancel does not change a captured order",
      "Answer S with the unchanged order, AUTHORIZED.",
      async (context) => {
        const order = await prepareOrder(context, captureOperation);
        requireSuccess(await move(context, captureOperation, order, fullAmount), "capture");
        await call(context, "cancel", { reference: order.reference, notAfter: oneMinuteAhead() });
        requireState(await inquireOrder(context, order.reference), "AUTHORIZED");
      },
    ),
  ],
};
