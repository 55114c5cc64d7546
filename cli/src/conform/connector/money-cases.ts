import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { parseWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { demand, must, NotSeen, should, type Case, type Group } from "../case.ts";
import {
  capturing,
  fieldsFor,
  idIn,
  move,
  none,
  ready,
  refunding,
  reportIn,
  whole,
  type MoneyOperation,
} from "./money-operation.ts";
import {
  call,
  demandCode,
  demandState,
  demandSuccess,
  inquired,
  longAgo,
  orderIn,
  send,
  soon,
  submitted,
  type Fields,
  type ProviderWorld,
} from "./provider-world.ts";

/** The reports of one capture or refund: the response, the inquiry and the request that they belong to. */
interface Reports {
  readonly requested: Fields;
  readonly reports: ReadonlyMap<string, Fields>;
}

/** Captures or refunds a part, or the full amount if the provider supports no parts, and then sends an inquiry. */
async function reported(world: ProviderWorld, kind: MoneyOperation): Promise<Reports> {
  const order = await ready(world, kind);
  const part = fieldsFor(world, kind, order, "500");
  const ofPart = await call(world, kind.verb, part);
  const isMade = ofPart.resultStatus === "S";
  const requested = isMade ? part : fieldsFor(world, kind, order, whole);
  const answer = isMade ? ofPart : await call(world, kind.verb, requested);
  if (none.includes(answer.resultCode))
    throw new NotSeen(`the provider makes no ${kind.verb}s (${answer.resultCode}): --${kind.verb}s NONE.`);
  demandSuccess(answer, kind.verb);
  const inquireVerb = `inquire-${kind.verb}`;
  const found = await call(world, inquireVerb, { [kind.nameField]: requested[kind.nameField] });
  demandSuccess(found, inquireVerb);
  const reports = new Map([
    [kind.verb, reportIn(answer, kind)],
    [inquireVerb, reportIn(found, kind)],
  ]);
  return { requested, reports };
}

/** Returns the amount of a request or a report as one line, for comparison and for messages. */
function amountIn({ amount }: Fields): string {
  const { currency, value } = (amount ?? {}) as Fields;
  return JSON.stringify({ currency, value });
}

const orNotIdempotent =
  "If you can not, the gateway sends each message once and then only sends inquiries: --idempotent no.";

function casesOf(kind: MoneyOperation): readonly Case<ProviderWorld>[] {
  return [
    ...makingCases(kind),
    ...reportCases(kind),
    ...repeatCases(kind),
    ...limitCases(kind),
    ...partCases(kind),
  ];
}

function makingCases(kind: MoneyOperation): readonly Case<ProviderWorld>[] {
  const { verb, nameField } = kind;
  const inquireVerb = `inquire-${verb}`;
  return [
    must(
      verb,
      `a ${verb} succeeds, and an inquiry reports it at once`,
      `Answer S with ${verb}: reference, ${nameField}, ${kind.idField}, amount, and its time.`,
      async (world) => {
        const order = await ready(world, kind);
        const answer = await move(world, kind, order, whole);
        demandSuccess(answer, verb);
        const made = (answer.json[verb] ?? {}) as Fields;
        demand(typeof made[kind.idField] === "string", `${kind.idField} is missing.`);
        const found = await call(world, inquireVerb, { [nameField]: made[nameField] });
        demand(idIn(found, kind) === made[kind.idField], `${inquireVerb} does not find it.`);
      },
    ),
    must(
      `${inquireVerb}-unknown`,
      `a ${verb} that was never sent does not exist`,
      "Answer F ORDER_NOT_EXIST.",
      async (world) =>
        demandCode(
          await call(world, inquireVerb, { [nameField]: newRequestId(verb) }),
          "ORDER_NOT_EXIST",
          ...none,
        ),
    ),
  ];
}

/** The gateway accepts a capture or refund report only if it repeats the values of its request, with state and time. */
function reportCases(kind: MoneyOperation): readonly Case<ProviderWorld>[] {
  const { verb, nameField, timeField, states } = kind;
  return [
    must(
      `${verb}-report-request`,
      `a report of a ${verb} has the amount, the currency and the references of its request`,
      `Report the amount of this ${verb}, not of the order, with reference and ${nameField} as they were sent. The gateway does not accept any other report, and alerts its operator.`,
      async (world) => {
        const { requested, reports } = await reported(world, kind);
        for (const [from, report] of reports) {
          const found = amountIn(report);
          demand(
            found === amountIn(requested),
            `${from} reports the amount ${found}instead of ${amountIn(requested)}.`,
          );
          for (const name of ["reference", nameField])
            demand(
              report[name] === requested[name],
              `${from} reports the ${name} ${String(report[name])}, and not ${String(requested[name])}.`,
            );
        }
      },
    ),
    must(
      `${verb}-report-time`,
      `a report of a ${verb} has its state, and its time when it is complete`,
      verb === "refund"
        ? `Report the state DONE with ${timeField}, or PROCESSING.`
        : `Report a capture only when it is complete, with ${timeField}; omit the state, or set it to DONE.`,
      async (world) => {
        const { reports } = await reported(world, kind);
        for (const [from, report] of reports) {
          const { state, [timeField]: time } = report;
          const isKnown = states.some((each) => each === state);
          demand(isKnown, `${from} reports the state ${String(state)}.`);
          if (state === "PROCESSING") continue;
          const isTime = typeof time === "string" && parseWireTime(time) !== undefined;
          demand(isTime, `${from} reports the ${timeField} ${String(time)}.`);
        }
      },
    ),
  ];
}

function repeatCases(kind: MoneyOperation): readonly Case<ProviderWorld>[] {
  const { verb, nameField } = kind;
  return [
    should(
      `${verb}-repeated`,
      `a repeated ${verb} moves the money once`,
      `Keep one ${verb} per ${nameField}, for ever. ${orNotIdempotent}`,
      async (world) => {
        const order = await ready(world, kind);
        const fields = fieldsFor(world, kind, order, whole);
        const first = await call(world, verb, fields);
        demandSuccess(first, verb);
        const again = await call(world, verb, fields);
        demandSuccess(again, `the second ${verb}`);
        demand(idIn(first, kind) === idIn(again, kind), `The repeat created another ${verb}.`);
      },
    ),
    should(
      `${verb}-answer-lost`,
      `a ${verb} whose response was lost is found, or created by the repeated request`,
      `Keep one ${verb} per ${nameField}, for ever. ${orNotIdempotent}`,
      async (world) => {
        const order = await ready(world, kind);
        const fields = fieldsFor(world, kind, order, whole);
        await send(world, verb, fields, { cut: "whole" });
        demandSuccess(await call(world, verb, fields), `the second ${verb}`);
      },
    ),
    must(
      `${verb}-other-amount`,
      `the same ${nameField} with another amount is rejected`,
      "Answer F REPEAT_REQ_INCONSISTENT.",
      async (world) => {
        const order = await ready(world, kind);
        const fields = fieldsFor(world, kind, order, whole);
        demandSuccess(await call(world, verb, fields), verb);
        const amount = { currency: world.currency, value: "1249" };
        demandCode(await call(world, verb, { ...fields, amount }), "REPEAT_REQ_INCONSISTENT");
      },
    ),
  ];
}

function limitCases(kind: MoneyOperation): readonly Case<ProviderWorld>[] {
  const { verb, nameField } = kind;
  return [
    must(
      `${verb}-too-much`,
      `a ${verb} of more than the available amount is rejected`,
      `Answer F ${kind.exceeds}; amounts in progress count as well.`,
      async (world) => {
        const order = await ready(world, kind);
        demandCode(await move(world, kind, order, "1251"), kind.exceeds);
      },
    ),
    must(
      `${verb}-too-much-at-once`,
      `concurrent ${verb}s never exceed the available amount`,
      "Lock the order while you compare and move: at most two of four ${verb}s of 500 fit into 1250.",
      async (world) => {
        const order = await ready(world, kind);
        const answers = await Promise.all(Array.from({ length: 4 }, () => move(world, kind, order, "500")));
        const doneCount = answers.filter(({ resultStatus }) => resultStatus === "S").length;
        demand(doneCount <= 2, `${doneCount} of them succeeded.`);
      },
    ),
    must(
      `${verb}-other-currency`,
      `a ${verb} in another currency is rejected`,
      "Answer F CURRENCY_NOT_SUPPORT.",
      async (world) => {
        const order = await ready(world, kind);
        const amount = { currency: world.currency === "USD" ? "EUR" : "USD", value: "1" };
        const answer = await call(world, verb, { ...fieldsFor(world, kind, order, "1"), amount });
        demand(answer.resultStatus === "F", `It was answered ${answer.resultStatus} ${answer.resultCode}.`);
      },
    ),
    must(
      `${verb}-not-paid`,
      `a ${verb} of what is not ${verb === "refund" ? "paid" : "held"} is refused`,
      "Answer F ORDER_STATUS_INVALID.",
      async (world) => {
        const order = await submitted(world);
        demandCode(
          await call(world, verb, fieldsFor(world, kind, order, "1")),
          "ORDER_STATUS_INVALID",
          ...none,
        );
      },
    ),
    must(
      `${verb}-unknown-order`,
      `a ${verb} of an unknown order is rejected`,
      "Answer F ORDER_NOT_EXIST.",
      async (world) => {
        const fields = {
          reference: newRequestId("conform"),
          [nameField]: newRequestId(verb),
          notAfter: soon(),
        };
        const answer = await call(world, verb, {
          ...fields,
          amount: { currency: world.currency, value: "1" },
        });
        demandCode(answer, "ORDER_NOT_EXIST", ...none);
      },
    ),
  ];
}

/**
 * Cases about partial captures or refunds. A provider may lack this feature; a setting of its connector then states
 * this.
 */
function partCases(kind: MoneyOperation): readonly Case<ProviderWorld>[] {
  const { verb } = kind;
  return [
    should(
      `${verb}-late`,
      `a ${verb} after its notAfter moves no money, and may be sent again`,
      "Answer F MESSAGE_EXPIRED, and store nothing. If you can not, state how long a message may be in transit before it takes effect: --quiet-seconds.",
      async (world) => {
        const order = await ready(world, kind);
        const fields = fieldsFor(world, kind, order, whole);
        demandCode(await call(world, verb, { ...fields, notAfter: longAgo() }), "MESSAGE_EXPIRED");
        demandSuccess(await call(world, verb, fields), `the same ${verb} before its notAfter`);
      },
    ),
    should(
      `${verb}-part`,
      `a ${verb} of a part succeeds`,
      verb === "refund"
        ? "If only the full amount can be refunded, set --refunds FULL."
        : "If only the full amount can be captured, the gateway rejects the merchant's partial captures.",
      async (world) => {
        const order = await ready(world, kind);
        demandSuccess(await move(world, kind, order, "500"), `${verb} of 500`);
      },
    ),
    should(
      `${verb}-in-parts`,
      `several partial ${verb}s succeed`,
      verb === "refund"
        ? "If only one refund is possible, set --refunds ONCE."
        : "If only one capture is possible, set --captures ONE.",
      async (world) => {
        const order = await ready(world, kind);
        for (const value of ["500", "750"])
          demandSuccess(await move(world, kind, order, value), `${verb} of ${value}`);
      },
    ),
  ];
}

export const refunds: Group<ProviderWorld> = { name: "Refunds", cases: casesOf(refunding) };

export const captures: Group<ProviderWorld> = {
  name: "Authorization holds and captures",
  cases: [
    ...casesOf(capturing),
    must(
      "hold-let-go",
      "a cancel releases the authorization hold",
      "Answer S with the order, CLOSED: nothing was captured, and the hold on the buyer's money is released.",
      async (world) => {
        const { reference } = await ready(world, capturing);
        demandState(
          orderIn(await call(world, "cancel", { reference, notAfter: soon() }), reference),
          "CLOSED",
        );
      },
    ),
    must(
      "hold-captured-stays",
      "a cancel does not change a captured order",
      "Answer S with the unchanged order, AUTHORIZED.",
      async (world) => {
        const order = await ready(world, capturing);
        demandSuccess(await move(world, capturing, order, whole), "capture");
        await call(world, "cancel", { reference: order.reference, notAfter: soon() });
        demandState(await inquired(world, order.reference), "AUTHORIZED");
      },
    ),
  ],
};
