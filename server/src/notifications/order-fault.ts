import { Type } from "typebox";
import { change } from "../contract/operation.ts";
import { withDescription, Id, OneOf, Url } from "../contract/schemas.ts";
import { refuse } from "../core/result.ts";
import { faultKinds, type FaultKind } from "./notification-fault.ts";
import { insertFault, type ConfiguredFault } from "./notification-fault.sql.ts";

const kinds = Object.keys(faultKinds) as FaultKind[];
const meanings = Object.entries(faultKinds)
  .map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)
  .join(" ");
const defaultDelaySeconds = 5;

const FaultRequestId = withDescription(Id, "Your own id of this fault.");

export const orderFault = change({
  path: "tollgate/orderFault",
  summary: "Injects faults into webhooks in the sandbox, to test how your system handles them.",
  description:
    "For one record, for one URL, or for all webhooks; `count` times. A count of 0 removes the fault. " +
    meanings,

  request: Type.Object({
    faultRequestId: FaultRequestId,
    fault: OneOf(faultKinds, "The fault to inject."),
    subjectId: Type.Optional(
      withDescription(Id, "Only webhooks about this payment, refund or other record."),
    ),
    endpoint: Type.Optional(Url("Only webhooks to this URL; its path is ignored.")),
    count: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000,
        description: "Number of webhooks that get the fault (default 1).",
      }),
    ),
    delaySeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: "Delay in seconds for DELAY and REORDER, on your clock (default 5).",
      }),
    ),
  }),
  response: Type.Object({
    faultRequestId: FaultRequestId,
    fault: OneOf(faultKinds, "The fault to inject."),
    count: Type.Integer({ minimum: 0, description: "Number of webhooks that get the fault." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "REPEAT_REQ_INCONSISTENT"],
  inStore: true,

  example: {
    request: {
      faultRequestId: "twice",
      fault: "DUPLICATE",
      subjectId: "20261115093000123047601530017744120",
    },
    response: { faultRequestId: "twice", fault: "DUPLICATE", count: 1 },
  },
  moreExamples: [
    {
      title: "The next three webhooks are one minute late",
      request: { faultRequestId: "late", fault: "DELAY", count: 3, delaySeconds: 60 },
      response: { faultRequestId: "late", fault: "DELAY", count: 3 },
    },
    {
      title: "Remove the fault",
      request: { faultRequestId: "late", fault: "DELAY", count: 0 },
      response: { faultRequestId: "late", fault: "DELAY", count: 0 },
    },
  ],

  async change({ tx, bucket, clientId, environment }, request) {
    if (environment !== "sandbox") return refuse("ACCESS_DENIED");
    const kind = kinds.find((each) => each === request.fault);
    if (!kind) return refuse("PARAM_ILLEGAL", { field: "fault" });
    const { endpoint, faultRequestId, subjectId, count = 1, delaySeconds = defaultDelaySeconds } = request;
    const origin = endpoint === undefined ? undefined : URL.parse(endpoint)?.origin;
    if (endpoint !== undefined && origin === undefined) return refuse("PARAM_ILLEGAL", { field: "endpoint" });
    const fault: ConfiguredFault = {
      bucket,
      clientId,
      faultRequestId,
      kind,
      subjectId,
      origin,
      count,
      delaySeconds,
    };
    insertFault(tx, fault);
    return fault;
  },

  answer: ({ faultRequestId, kind, count }: ConfiguredFault) => ({
    code: "SUCCESS",
    faultRequestId,
    fault: kind,
    count,
  }),
});
