import { Type, type TString } from "typebox";
import { sha256 } from "../../../server/src/core/digest.ts";
import { permissionsOf, staffRoles } from "../../../server/src/people/role.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse } from "../api/refusal.ts";
import { memberRoute } from "../api/route.ts";
import { Body, EmptyObject, OneOf, MultilineText, Time } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import type { Act } from "../audit/audit-entry.ts";
import { reviewSubmittedEmail, reviewPendingEmail } from "../mail/review-emails.ts";
import { listAddresses } from "../organisations/membership.sql.ts";
import { findStaff } from "../organisations/organisation.sql.ts";
import { actorOf, type MemberCaller } from "../sessions/session.ts";
import { documentBytesMax } from "./business-document.ts";
import { listDocuments } from "./document.sql.ts";
import {
  businessFields,
  missingItems,
  findMissingItems,
  mayChange,
  reviewStatuses,
  type Business,
  type Review,
} from "./review.ts";
import { findReview, lockReview, submitReview, updateBusiness, withdrawReview } from "./review.sql.ts";
import { DocumentSummary, summarizeDocument } from "./document-summary.ts";

const BusinessDetails = Body({
  legalName: MultilineText(200),
  registrationNumber: MultilineText(100),
  country: MultilineText(2),
  address: MultilineText(500),
  owner: MultilineText(200),
  website: MultilineText(500),
  sells: MultilineText(1000),
} satisfies Record<keyof Business, TString>);

export const showOwnReview = memberRoute({
  method: "GET",
  path: "/accounts/review",
  summary: "The organisation's go-live request: business details, documents, missing data and the decision.",
  access: "live.prepare",
  request: EmptyObject,
  response: Type.Object({
    status: OneOf(reviewStatuses),
    business: BusinessDetails,
    documents: Type.Array(DocumentSummary),
    missing: Type.Array(OneOf(missingItems)),
    submittedAt: Type.Optional(Time),
    decidedAt: Type.Optional(Time),
    reason: Type.Optional(Type.String()),
    documentBytesMax: Type.Integer(),
  }),

  async handle({ caller, read }) {
    const { organisationId } = caller.membership;
    const [review, documents] = [
      await findReview(read, organisationId),
      await listDocuments(read, organisationId),
    ];
    const { status, business, submittedAt, decidedAt, reason } = review;
    return {
      answer: {
        status,
        business: { ...business },
        documents: documents.map(summarizeDocument),
        missing: [
          ...findMissingItems(
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
 * `saveBusiness` saves incomplete data and returns the missing fields. Only the submission rejects incomplete data.
 */
export const saveBusiness = memberRoute({
  method: "POST",
  path: "/accounts/review/business",
  summary: "Saves the merchant's business details.",
  access: "live.prepare",
  request: BusinessDetails,
  response: EmptyObject,

  async handle(call, business) {
    const { caller } = call;
    const { organisationId } = caller.membership;
    return call.transaction(async (tx) => {
      const review = await lockReview(tx, organisationId);
      if (!mayChange(review)) return refuse("REVIEW_UNDER_WAY");
      const changed = businessFields.filter((field) => review.business[field] !== business[field]);
      if (changed.length === 0) return { answer: {} };
      await updateBusiness(tx, organisationId, business);
      // The audit log has only the names of the changed fields, because it is permanent and the values are personal
      // data.
      await auditReview(tx, caller, "review.change", { fields: changed });
      return { answer: {} };
    });
  },
});

export const submitOwnReview = memberRoute({
  method: "POST",
  path: "/accounts/review/submit",
  summary: "Submits the go-live request for review.",
  access: "live.ask",
  request: EmptyObject,
  response: EmptyObject,

  async handle(call) {
    const { caller, engine, now } = call;
    const { organisationId, organisation } = caller.membership;
    return call.transaction(async (tx) => {
      const review = await lockReview(tx, organisationId);
      if (!mayChange(review)) return refuse("REVIEW_UNDER_WAY");
      const documents = await listDocuments(tx, organisationId);
      const missing = findMissingItems(
        review.business,
        documents.map(({ shows }) => shows),
      );
      if (missing.length > 0) return refuse("REVIEW_INCOMPLETE", `Missing yet: ${missing.join(", ")}.`);
      await submitReview(tx, organisationId, now);
      await auditReview(tx, caller, "review.submit", await submissionDigests(tx, review));
      const owners = await listAddresses(tx, organisationId, ["owner"]);
      call.sendAfterCommit(owners.map((to) => reviewSubmittedEmail(engine.publicUrl, { to, organisation })));
      const reviewerAddresses = await listReviewerAddresses(tx);
      call.sendAfterCommit(
        reviewerAddresses.map((to) => reviewPendingEmail(engine.siteUrls.operator, { to, organisation })),
      );
      return { answer: {} };
    });
  },
});

export const withdrawOwnReview = memberRoute({
  method: "POST",
  path: "/accounts/review/withdraw",
  summary: "Withdraws the go-live request, so that it can be changed.",
  access: "live.ask",
  request: EmptyObject,
  response: EmptyObject,

  async handle(call) {
    const { caller } = call;
    const { organisationId } = caller.membership;
    return call.transaction(async (tx) => {
      const { status } = await lockReview(tx, organisationId);
      if (status !== "submitted") return refuse("REVIEW_CHANGED");
      await withdrawReview(tx, organisationId);
      await auditReview(tx, caller, "review.withdraw");
      return { answer: {} };
    });
  },
});

/** Digests prove later which documents were submitted, even if they are deleted. */
async function submissionDigests(tx: Tx, { organisationId, business, submission }: Review): Promise<object> {
  const documents = await listDocuments(tx, organisationId);
  return {
    submission: submission + 1,
    businessSha256: sha256(JSON.stringify(business)).toString("hex"),
    documentsSha256: documents.map((document) => Buffer.from(document.sha256).toString("hex")),
  };
}

const reviewerRoles = staffRoles.filter((role) => permissionsOf(role, "live").includes("merchants.review"));

async function listReviewerAddresses(tx: Tx): Promise<readonly string[]> {
  const staff = await findStaff(tx);
  return staff ? listAddresses(tx, staff.organisationId, reviewerRoles) : [];
}

async function auditReview(tx: Tx, caller: MemberCaller, act: Act, after?: object): Promise<void> {
  const { organisationId } = caller.membership;
  await insertAudit(tx, {
    actor: actorOf(caller),
    act,
    subject: organisationId,
    organisationId,
    ...(after && { after }),
  });
}
