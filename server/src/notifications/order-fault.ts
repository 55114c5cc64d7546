import { Type } from "typebox";
import { change } from "../api/operation.ts";
import { described, Id, OneOf, Url } from "../api/schemas.ts";
import { refuse } from "../core/result.ts";
import { faultKinds, type FaultKind } from "./fault.ts";
import { insertFault, type OrderedFault } from "./fault.sql.ts";

const kinds = Object.keys(faultKinds) as FaultKind[];
const meanings = Object.entries(faultKinds)
  .map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)
  .join(" ");
const delayUsualSeconds = 5;

const FaultRequestId = described(Id, "Your own name for this order.");

export const orderFault = change({
  path: "tollgate/orderFault",
  summary:
    "Makes something go wrong with notifications in the sandbox, so that you see how your system takes it.",
  description: `For one record, for one address, or for all; so many times. A count of nought takes it back. ${meanings}`,

  request: Type.Object({
    faultRequestId: FaultRequestId,
    fault: OneOf(faultKinds, "What goes wrong."),
    subjectId: Type.Optional(
      described(Id, "Only with what is told of this payment, refund or other record."),
    ),
    endpoint: Type.Optional(Url("An address; its path does not matter.")),
    count: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1_000, description: "How often; once if not said." }),
    ),
    delaySeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: "For a delay, on your clock; 5 if not said.",
      }),
    ),
  }),
  response: Type.Object({
    faultRequestId: FaultRequestId,
    fault: OneOf(faultKinds, "What goes wrong."),
    count: Type.Integer({ minimum: 0, description: "How often." }),
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
  scenes: [
    {
      title: "The next three come a minute late",
      request: { faultRequestId: "late", fault: "DELAY", count: 3, delaySeconds: 60 },
      response: { faultRequestId: "late", fault: "DELAY", count: 3 },
    },
    {
      title: "Take it back",
      request: { faultRequestId: "late", fault: "DELAY", count: 0 },
      response: { faultRequestId: "late", fault: "DELAY", count: 0 },
    },
  ],

  async change({ tx, bucket, clientId, environment }, request) {
    if (environment !== "sandbox") return refuse("ACCESS_DENIED");
    const kind = kinds.find((each) => each === request.fault);
    if (!kind) return refuse("PARAM_ILLEGAL", { field: "fault" });
    const { endpoint, faultRequestId, subjectId, count = 1, delaySeconds = delayUsualSeconds } = request;
    const origin = endpoint === undefined ? undefined : URL.parse(endpoint)?.origin;
    if (endpoint !== undefined && origin === undefined) return refuse("PARAM_ILLEGAL", { field: "endpoint" });
    const fault: OrderedFault = {
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

  answer: ({ faultRequestId, kind, count }: OrderedFault) => ({
    code: "SUCCESS",
    faultRequestId,
    fault: kind,
    count,
  }),
});
