import type { TSchema } from "typebox";
import type { Engine } from "../engine.ts";
import { answerDispute, inquireDispute } from "../disputes/answer-dispute.ts";
import { toWireFacts } from "../facts.ts";
import { inquireOperation } from "../money/inquire-operation.ts";
import { requestOperation } from "../money/request-operation.ts";
import { cancelOrder } from "../orders/cancel-order.ts";
import { inquireOrder } from "../orders/inquire-order.ts";
import { submit } from "../orders/submit.ts";
import type { Answer } from "./answer.ts";
import {
  CancelCall,
  CaptureCall,
  CaptureInquiry,
  DisputeAnswerCall,
  DisputeInquiry,
  OrderCall,
  RefundCall,
  RefundInquiry,
  SubmitCall,
} from "./messages.schema.ts";
import { Type, type Static } from "typebox";

/** One call of the provider protocol. */
export interface Call {
  readonly schema: TSchema;
  answer(engine: Engine, fields: never): Promise<Answer>;
}

function call<Schema extends TSchema>(
  schema: Schema,
  answer: (engine: Engine, fields: Static<Schema>) => Promise<Answer>,
): Call {
  return { schema, answer };
}

/** All calls that a connector answers, by their path below the version. */
export const calls: ReadonlyMap<string, Call> = new Map<string, Call>(
  Object.entries({
    facts: call(Type.Object({}), ({ connector }) =>
      Promise.resolve({ code: "SUCCESS", fields: { facts: toWireFacts(connector) } }),
    ),
    "orders/submit": call(SubmitCall, submit),
    "orders/inquire": call(OrderCall, inquireOrder),
    "orders/cancel": call(CancelCall, cancelOrder),
    "orders/capture": call(CaptureCall, (engine, { captureReference, isLast = false, ...fields }) =>
      requestOperation(engine, { ...fields, kind: "capture", operationReference: captureReference, isLast }),
    ),
    "orders/inquire-capture": call(CaptureInquiry, (engine, { captureReference, account }) =>
      inquireOperation(engine, { kind: "capture", operationReference: captureReference, account }),
    ),
    "orders/refund": call(RefundCall, (engine, { refundReference, ...fields }) =>
      requestOperation(engine, {
        ...fields,
        kind: "refund",
        operationReference: refundReference,
        isLast: false,
      }),
    ),
    "orders/inquire-refund": call(RefundInquiry, (engine, { refundReference, account }) =>
      inquireOperation(engine, { kind: "refund", operationReference: refundReference, account }),
    ),
    "disputes/inquire-dispute": call(DisputeInquiry, inquireDispute),
    "disputes/accept-dispute": call(DisputeAnswerCall, (engine, fields) =>
      answerDispute(engine, "accept", fields),
    ),
    "disputes/defend-dispute": call(DisputeAnswerCall, (engine, fields) =>
      answerDispute(engine, "defend", fields),
    ),
  }),
);
