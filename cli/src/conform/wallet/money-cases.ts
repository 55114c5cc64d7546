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
  type WalletWorld,
} from "./wallet-world.ts";

/** The reports of one capture or refund, by the request that each one answers. */
interface Reports {
  readonly requested: Fields;
  readonly reports: ReadonlyMap<string, Fields>;
}

/** Makes a capture or refund of a part, or of the whole where no parts are made, and inquires about it. */
async function reported(world: WalletWorld, kind: MoneyOperation): Promise<Reports> {
  const order = await ready(world, kind);
  const part = fieldsFor(world, kind, order, "500");
  const ofPart = await call(world, kind.verb, part);
  const isMade = ofPart.resultStatus === "S";
  const requested = isMade ? part : fieldsFor(world, kind, order, whole);
  const answer = isMade ? ofPart : await call(world, kind.verb, requested);
  if (none.includes(answer.resultCode))
    throw new NotSeen(`the wallet makes no ${kind.verb}s (${answer.resultCode}): --${kind.verb}s NONE.`);
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

/** The amount of a request or a report in one line, to be compared and to be printed. */
function amountIn({ amount }: Fields): string {
  const { currency, value } = (amount ?? {}) as Fields;
  return JSON.stringify({ currency, value });
}

const orNotIdempotent =
  "Where you cannot, the gateway sends everything once and then only asks: --idempotent no.";

function casesOf(kind: MoneyOperation): readonly Case<WalletWorld>[] {
  return [
    ...makingCases(kind),
    ...reportCases(kind),
    ...repeatCases(kind),
    ...limitCases(kind),
    ...partCases(kind),
  ];
}

function makingCases(kind: MoneyOperation): readonly Case<WalletWorld>[] {
  const { verb, nameField } = kind;
  const inquireVerb = `inquire-${verb}`;
  return [
    must(
      verb,
      `a ${verb} is made, and an inquiry tells of it at once`,
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

/** The gateway settles a capture or refund only by a report that repeats its request, with state and time. */
function reportCases(kind: MoneyOperation): readonly Case<WalletWorld>[] {
  const { verb, nameField, timeField, states } = kind;
  return [
    must(
      `${verb}-report-request`,
      `a report of a ${verb} has the amount, the currency and the references of its request`,
      `Report the amount of this ${verb} and not of the order, with reference and ${nameField} as they were sent. The gateway settles no other report, and alerts its operator.`,
      async (world) => {
        const { requested, reports } = await reported(world, kind);
        for (const [from, report] of reports) {
          const found = amountIn(report);
          demand(
            found === amountIn(requested),
            `${from} reports the amount ${found}, and not ${amountIn(requested)}.`,
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
      `a report of a ${verb} has its state, and its time once it is done`,
      verb === "refund"
        ? `Report the state DONE with ${timeField}, or PROCESSING.`
        : `Report a capture only when it is done, with ${timeField}; the state may be left out, or is DONE.`,
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

function repeatCases(kind: MoneyOperation): readonly Case<WalletWorld>[] {
  const { verb, nameField } = kind;
  return [
    should(
      `${verb}-repeated`,
      `a ${verb} that comes again moves the money once`,
      `Keep one ${verb} per ${nameField}, for ever. ${orNotIdempotent}`,
      async (world) => {
        const order = await ready(world, kind);
        const fields = fieldsFor(world, kind, order, whole);
        const first = await call(world, verb, fields);
        demandSuccess(first, verb);
        const again = await call(world, verb, fields);
        demandSuccess(again, `the second ${verb}`);
        demand(idIn(first, kind) === idIn(again, kind), `The repeat made another ${verb}.`);
      },
    ),
    should(
      `${verb}-answer-lost`,
      `a ${verb} whose answer was lost is found, or made by the next one`,
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
      `the same ${nameField} with another amount is refused`,
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

function limitCases(kind: MoneyOperation): readonly Case<WalletWorld>[] {
  const { verb, nameField } = kind;
  return [
    must(
      `${verb}-too-much`,
      `a ${verb} of more than there is, is refused`,
      `Answer F ${kind.exceeds}; what is still processing counts as well.`,
      async (world) => {
        const order = await ready(world, kind);
        demandCode(await move(world, kind, order, "1251"), kind.exceeds);
      },
    ),
    must(
      `${verb}-too-much-at-once`,
      `${verb}s that come at once never exceed what there is`,
      "Lock the order while you compare and move: four of 500 do not fit into 1250.",
      async (world) => {
        const order = await ready(world, kind);
        const answers = await Promise.all(Array.from({ length: 4 }, () => move(world, kind, order, "500")));
        const doneCount = answers.filter(({ resultStatus }) => resultStatus === "S").length;
        demand(doneCount <= 2, `${doneCount} of them were made.`);
      },
    ),
    must(
      `${verb}-other-currency`,
      `a ${verb} in another currency is refused`,
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
      `a ${verb} of what was never submitted is refused`,
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

/** What a wallet may lack, and its connector is told. */
function partCases(kind: MoneyOperation): readonly Case<WalletWorld>[] {
  const { verb } = kind;
  return [
    should(
      `${verb}-late`,
      `a ${verb} after its notAfter moves nothing, and may be sent again`,
      "Answer F MESSAGE_EXPIRED, and keep nothing of it. Where you cannot, say how long a message may be under way before it is acted on: --quiet-seconds.",
      async (world) => {
        const order = await ready(world, kind);
        const fields = fieldsFor(world, kind, order, whole);
        demandCode(await call(world, verb, { ...fields, notAfter: longAgo() }), "MESSAGE_EXPIRED");
        demandSuccess(await call(world, verb, fields), `the same ${verb} in time`);
      },
    ),
    should(
      `${verb}-part`,
      `a ${verb} of a part is made`,
      verb === "refund"
        ? "Where it has to be all of it, say so: --refunds FULL."
        : "Where it has to be all of it, the merchant's captures of parts will be refused.",
      async (world) => {
        const order = await ready(world, kind);
        demandSuccess(await move(world, kind, order, "500"), `${verb} of 500`);
      },
    ),
    should(
      `${verb}-in-parts`,
      `several ${verb}s of parts are made`,
      verb === "refund"
        ? "Where only one refund is made, say so: --refunds ONCE."
        : "Where only one capture is made, say so: --captures ONE.",
      async (world) => {
        const order = await ready(world, kind);
        for (const value of ["500", "750"])
          demandSuccess(await move(world, kind, order, value), `${verb} of ${value}`);
      },
    ),
  ];
}

export const refunds: Group<WalletWorld> = { name: "Refunds", cases: casesOf(refunding) };

export const captures: Group<WalletWorld> = {
  name: "Money that is held, and captures",
  cases: [
    ...casesOf(capturing),
    must(
      "hold-let-go",
      "a cancel lets go of what is held",
      "Answer S with the order, CLOSED: nothing was captured, and the buyer has the money back.",
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
      "a cancel leaves what was captured",
      "Answer S with the order as it is, AUTHORIZED.",
      async (world) => {
        const order = await ready(world, capturing);
        demandSuccess(await move(world, capturing, order, whole), "capture");
        await call(world, "cancel", { reference: order.reference, notAfter: soon() });
        demandState(await inquired(world, order.reference), "AUTHORIZED");
      },
    ),
  ],
};
