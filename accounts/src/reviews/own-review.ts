import { Type, type TString } from "typebox";
import { sha256 } from "../../../server/src/core/digest.ts";
import { permissionsOf, staffRoles } from "../../../server/src/people/role.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse } from "../api/refusal.ts";
import { memberRoute } from "../api/route.ts";
import { Body, Nothing, OneOf, Text, Time } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import type { Act } from "../audit/audit.ts";
import { submittedLetter, waitingLetter } from "../mail/review-emails.ts";
import { listAddresses } from "../organisations/membership.sql.ts";
import { findStaff } from "../organisations/organisation.sql.ts";
import { actorOf, type MemberCaller } from "../sessions/session.ts";
import { documentBytesMax } from "./document.ts";
import { listDocuments } from "./document.sql.ts";
import {
  businessFields,
  gaps,
  gapsOf,
  mayChange,
  reviewStatuses,
  type Business,
  type Review,
} from "./review.ts";
import { findReview, lockReview, submitReview, updateBusiness, withdrawReview } from "./review.sql.ts";
import { DocumentShown, shownDocument } from "./shown-document.ts";

const BusinessSaid = Body({
  legalName: Text(200),
  registrationNumber: Text(100),
  country: Text(2),
  address: Text(500),
  owner: Text(200),
  website: Text(500),
  sells: Text(1000),
} satisfies Record<keyof Business, TString>);

export const showOwnReview = memberRoute({
  method: "GET",
  path: "/accounts/review",
  summary: "The organisation's go-live request: business details, documents, missing data and the decision.",
  who: "live.prepare",
  request: Nothing,
  response: Type.Object({
    status: OneOf(reviewStatuses),
    business: BusinessSaid,
    documents: Type.Array(DocumentShown),
    missing: Type.Array(OneOf(gaps)),
    submittedAt: Type.Optional(Time),
    decidedAt: Type.Optional(Time),
    reason: Type.Optional(Type.String()),
    documentBytesMax: Type.Integer(),
  }),

  async handle({ caller, read }) {
    const { organisationId } = caller.place;
    const [review, documents] = [
      await findReview(read, organisationId),
      await listDocuments(read, organisationId),
    ];
    const { status, business, submittedAt, decidedAt, reason } = review;
    return {
      answer: {
        status,
        business: { ...business },
        documents: documents.map(shownDocument),
        missing: [
          ...gapsOf(
            business,
            documents.map(({ shows }) => shows),
          ),
        ],
        ...(submittedAt && { submittedAt: submittedAt.toISOString() }),
        ...(decidedAt && { decidedAt: decidedAt.toISOString() }),
        ...(reason !== undefined && { reason }),
        documentBytesMax,
      },
    };
  },
});

/**
 * `describeBusiness` saves incomplete data and returns the missing fields. Only the submission rejects incomplete data.
 */
export const describeBusiness = memberRoute({
  method: "POST",
  path: "/accounts/review/business",
  summary: "Saves the merchant's business details.",
  who: "live.prepare",
  request: BusinessSaid,
  response: Nothing,

  async handle(call, business) {
    const { caller } = call;
    const { organisationId } = caller.place;
    return call.transaction(async (tx) => {
      const review = await lockReview(tx, organisationId);
      if (!mayChange(review)) return refuse("REVIEW_UNDER_WAY");
      const changed = businessFields.filter((field) => review.business[field] !== business[field]);
      if (changed.length === 0) return { answer: {} };
      await updateBusiness(tx, organisationId, business);
      // The audit log has only the names of the changed fields, because it is permanent and the values are personal
      // data.
      await write(tx, caller, "review.change", { fields: changed });
      return { answer: {} };
    });
  },
});

export const askForReview = memberRoute({
  method: "POST",
  path: "/accounts/review/submit",
  summary: "Submits the go-live request for review.",
  who: "live.ask",
  request: Nothing,
  response: Nothing,

  async handle(call) {
    const { caller, engine, now } = call;
    const { organisationId, organisation } = caller.place;
    return call.transaction(async (tx) => {
      const review = await lockReview(tx, organisationId);
      if (!mayChange(review)) return refuse("REVIEW_UNDER_WAY");
      const documents = await listDocuments(tx, organisationId);
      const missing = gapsOf(
        review.business,
        documents.map(({ shows }) => shows),
      );
      if (missing.length > 0) return refuse("REVIEW_INCOMPLETE", `Missing yet: ${missing.join(", ")}.`);
      await submitReview(tx, organisationId, now);
      await write(tx, caller, "review.submit", await submitted(tx, review));
      const owners = await listAddresses(tx, organisationId, ["owner"]);
      call.tell(owners.map((to) => submittedLetter(engine.publicUrl, { to, organisation })));
      const reviewing = await reviewersIn(tx);
      call.tell(reviewing.map((to) => waitingLetter(engine.urls.operator, { to, organisation })));
      return { answer: {} };
    });
  },
});

export const withdrawOwnReview = memberRoute({
  method: "POST",
  path: "/accounts/review/withdraw",
  summary: "Withdraws the go-live request, so that it can be changed.",
  who: "live.ask",
  request: Nothing,
  response: Nothing,

  async handle(call) {
    const { caller } = call;
    const { organisationId } = caller.place;
    return call.transaction(async (tx) => {
      const { status } = await lockReview(tx, organisationId);
      if (status !== "submitted") return refuse("REVIEW_CHANGED");
      await withdrawReview(tx, organisationId);
      await write(tx, caller, "review.withdraw");
      return { answer: {} };
    });
  },
});

/** Digests prove later which documents were submitted, even if they are deleted. */
async function submitted(tx: Tx, { organisationId, business, submission }: Review): Promise<object> {
  const documents = await listDocuments(tx, organisationId);
  return {
    submission: submission + 1,
    businessSha256: sha256(JSON.stringify(business)).toString("hex"),
    documentsSha256: documents.map((document) => Buffer.from(document.sha256).toString("hex")),
  };
}

const reviewers = staffRoles.filter((role) => permissionsOf(role, "live").includes("merchants.review"));

async function reviewersIn(tx: Tx): Promise<readonly string[]> {
  const staff = await findStaff(tx);
  return staff ? listAddresses(tx, staff.organisationId, reviewers) : [];
}

async function write(tx: Tx, caller: MemberCaller, act: Act, after?: object): Promise<void> {
  const { organisationId } = caller.place;
  await insertAudit(tx, {
    actor: actorOf(caller),
    act,
    subject: organisationId,
    organisationId,
    ...(after && { after }),
  });
}
