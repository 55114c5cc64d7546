import { Type } from "typebox";
import { NextCursor, PageRequest, windowOf } from "../api/page.ts";
import {
  Amount,
  described,
  DisputeId,
  OneOf,
  PaymentId,
  Time,
  toTime,
  type Meanings,
} from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { toAmount } from "../core/money.ts";
import { pageOf, toNext, type Page } from "../core/page.ts";
import { isRefusal } from "../core/result.ts";
import type { DisputeType } from "../wallets/dispute-words.ts";
import { listDisputes } from "./dispute.sql.ts";
import { acceptRefusal, defenseRefusal, type Dispute, type DisputeStatus } from "./dispute.ts";

const statusesInWords: Meanings<DisputeStatus> = {
  CREATED: "It waits for your answer.",
  DEFENDED: "You have answered, and the wallet decides.",
  ACCEPTED: "The buyer gets the money back.",
  CANCELLED: "The buyer took it back.",
  JUDGED: "It was decided.",
  EXPIRED: "The time to answer is over.",
  RESOLVED: "It was settled without you.",
};

const typesInWords: Meanings<DisputeType> = {
  CHARGEBACK: "The buyer wants the money back.",
  RETRIEVAL_REQUEST: "The wallet asks for papers.",
  COMPLIANCE_REQUEST: "The wallet asks whether rules were kept.",
  RDR: "The scheme decides by rules, and asks nobody.",
};

/** What may be done about it is decided here, by the rules that the acts themselves keep. */
interface Found extends Page<Dispute> {
  readonly now: Date;
}

export const viewDisputes = view({
  name: "disputes",
  summary: "Lists disputes with their deadlines, and what can be done about each, the newest first.",
  right: "disputes.read",

  request: Type.Object({
    ...PageRequest,
    disputeStatus: Type.Optional(OneOf(statusesInWords, "Only what stands there.")),
  }),
  response: Type.Object({
    disputes: Type.Array(
      Type.Object(
        {
          disputeId: DisputeId,
          paymentId: PaymentId,
          disputeType: OneOf(typesInWords, "What kind of dispute it is."),
          disputeStatus: OneOf(statusesInWords, "Where it stands."),
          disputeAmount: described(Amount, "How much is disputed."),
          frozenAmount: Type.Optional(described(Amount, "How much of your balance it freezes, if any.")),
          debitedAmount: Type.Optional(described(Amount, "How much went back to the buyer, if any.")),
          reasonCode: Type.String({ maxLength: 64, description: "Why, by the wallet's code." }),
          reasonMessage: Type.String({ maxLength: 512, description: "Why, in the wallet's words." }),
          createdTime: described(Time, "When it began."),
          defenseDueTime: Type.Optional(described(Time, "Until when you can answer.")),
          canAccept: Type.Boolean({ description: "Whether you can give in to it now." }),
          canDefend: Type.Boolean({ description: "Whether you can hand in a document now." }),
          judgedResult: Type.Optional(Type.String({ maxLength: 64, description: "How it was decided." })),
        },
        { title: "DisputeSummary", description: "A dispute." },
      ),
      { description: "The disputes, the newest first." },
    ),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { disputeStatus: "CREATED" },
    response: {
      disputes: [
        {
          disputeId: "20261118101530482047605661029384756",
          paymentId: "20261115093000123047601530017744120",
          disputeType: "CHARGEBACK",
          disputeStatus: "CREATED",
          disputeAmount: { currency: "EUR", value: "1250" },
          frozenAmount: { currency: "EUR", value: "1250" },
          reasonCode: "13.1",
          reasonMessage: "The goods did not arrive.",
          createdTime: "2026-11-18T10:15:30+00:00",
          defenseDueTime: "2026-11-25T10:15:30+00:00",
          canAccept: true,
          canDefend: true,
        },
      ],
    },
  },

  async find(call, request) {
    const window = windowOf(request);
    if (isRefusal(window)) return window;
    const found = await listDisputes(call.tx, call, { status: request.disputeStatus }, window);
    return { ...pageOf(found, window, ({ disputeId }) => disputeId), now: call.now };
  },

  answer(page: Found) {
    return {
      code: "SUCCESS",
      disputes: page.items.map((dispute) => summaryOf(dispute, page.now)),
      ...toNext(page),
    };
  },
});

function summaryOf(dispute: Dispute, now: Date) {
  const { amount, frozenMinor, debitedMinor } = dispute;
  return {
    disputeId: dispute.disputeId,
    paymentId: dispute.paymentId,
    disputeType: dispute.type,
    disputeStatus: dispute.status,
    disputeAmount: toAmount(amount),
    ...(frozenMinor > 0n && { frozenAmount: toAmount({ ...amount, minor: frozenMinor }) }),
    ...(debitedMinor > 0n && { debitedAmount: toAmount({ ...amount, minor: debitedMinor }) }),
    reasonCode: dispute.reasonCode,
    reasonMessage: dispute.reasonMessage,
    createdTime: toTime(dispute.createdAt),
    ...(dispute.dueAt && { defenseDueTime: toTime(dispute.dueAt) }),
    canAccept: !dispute.answer && acceptRefusal(dispute, now) === undefined,
    canDefend: !dispute.answer && defenseRefusal(dispute, now) === undefined,
    ...(dispute.judgedResult && { judgedResult: dispute.judgedResult }),
  };
}
