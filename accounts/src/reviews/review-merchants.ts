import { Type } from "typebox";
import { unwrap } from "../../../server/src/signing/wrapping.ts";
import { refuse } from "../api/refusal.ts";
import { memberRoute, type Route } from "../api/route.ts";
import { Body, EmptyObject, OneOf, Reason, RoleName, Time, TokenOrId } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { listMembers } from "../organisations/membership.sql.ts";
import { findMerchant } from "../organisations/organisation.sql.ts";
import { actorOf } from "../sessions/session.ts";
import { decideReview, type ReviewDecision } from "./decide-review.tx.ts";
import { documentAdditionalData, mediaTypes } from "./business-document.ts";
import { findDocument, listDocuments } from "./document.sql.ts";
import { missingItems, findMissingItems, reviewStatuses } from "./review.ts";
import { findReview, listMerchants } from "./review.sql.ts";
import { DocumentSummary, summarizeDocument } from "./document-summary.ts";

export const showMerchants = memberRoute({
  method: "GET",
  path: "/accounts/merchants",
  sites: ["operator"],
  summary:
    "Merchants' organisations, 200 per page: pending reviews first, then merchants without live, then all others.",
  access: "merchants.read",
  request: Body({ after: Type.Optional(TokenOrId) }),
  response: Type.Object({
    merchants: Type.Array(
      Type.Object({
        organisationId: Type.String(),
        name: Type.String(),
        status: OneOf(reviewStatuses),
        submittedAt: Type.Optional(Time),
        liveSince: Type.Optional(Time),
      }),
    ),
  }),

  async handle({ read }, { after }) {
    const merchants = await listMerchants(read, after);
    return {
      answer: {
        merchants: merchants.map(({ organisationId, name, status, submittedAt, liveSince }) => ({
          organisationId,
          name,
          status,
          ...(submittedAt && { submittedAt: submittedAt.toISOString() }),
          ...(liveSince && { liveSince: liveSince.toISOString() }),
        })),
      },
    };
  },
});

/** `showReview` writes each view to the merchant's own audit log, because staff see the merchant's data. */
export const showReview = memberRoute({
  method: "GET",
  path: "/accounts/merchants/review",
  sites: ["operator"],
  summary:
    "A merchant's business details, documents, people and decisions. Each view is written to the merchant's audit log.",
  access: "merchants.read",
  request: Body({ organisationId: TokenOrId }),
  response: Type.Object({
    name: Type.String(),
    status: OneOf(reviewStatuses),
    submission: Type.Integer({
      description:
        "The number of the submission. A decision names it, so that it cannot apply to a later submission.",
    }),
    business: Type.Object({
      legalName: Type.String(),
      registrationNumber: Type.String(),
      country: Type.String(),
      address: Type.String(),
      owner: Type.String(),
      website: Type.String(),
      sells: Type.String(),
    }),
    documents: Type.Array(DocumentSummary),
    missing: Type.Array(OneOf(missingItems)),
    people: Type.Array(
      Type.Object({ name: Type.String(), email: Type.String(), role: RoleName, since: Time }),
    ),
    submittedAt: Type.Optional(Time),
    decidedAt: Type.Optional(Time),
    reason: Type.Optional(Type.String()),
    liveSince: Type.Optional(Time),
  }),

  async handle(call, { organisationId }) {
    const { caller } = call;
    return call.transaction(async (tx) => {
      const merchant = await findMerchant(tx, organisationId);
      if (!merchant) return refuse("NOT_FOUND");
      const review = await findReview(tx, organisationId);
      const documents = await listDocuments(tx, organisationId);
      const people = await listMembers(tx, organisationId);
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "review.see",
        subject: organisationId,
        organisationId,
      });
      const { status, submission, business, submittedAt, decidedAt, reason } = review;
      return {
        answer: {
          name: merchant.name,
          status,
          submission,
          business: { ...business },
          documents: documents.map(summarizeDocument),
          missing: [
            ...findMissingItems(
              business,
              documents.map(({ shows }) => shows),
            ),
          ],
          people: people.map(({ name, email, role, since }) => ({
            name,
            email,
            role,
            since: since.toISOString(),
          })),
          ...(submittedAt && { submittedAt: submittedAt.toISOString() }),
          ...(decidedAt && { decidedAt: decidedAt.toISOString() }),
          ...(reason !== undefined && { reason }),
          ...(merchant.liveSince && { liveSince: merchant.liveSince.toISOString() }),
        },
      };
    });
  },
});

/**
 * `showDocument` returns the document as text within JSON, and the page saves it to a file. So no browser renders an
 * uploaded document on our origin.
 */
export const showDocument = memberRoute({
  method: "GET",
  path: "/accounts/merchants/document",
  sites: ["operator"],
  summary:
    "A merchant's document in base64, for download to a file. Each view is written to the merchant's audit log.",
  access: "merchants.review",
  request: Body({ documentId: TokenOrId }),
  response: Type.Object({
    name: Type.String(),
    mediaType: OneOf(mediaTypes),
    content: Type.String({
      description: "Base64. The file is untrusted: save it, and never render it inline.",
    }),
  }),

  async handle(call, { documentId }) {
    const { caller, engine } = call;
    return call.transaction(async (tx) => {
      const document = await findDocument(tx, documentId);
      if (!document) return refuse("NOT_FOUND");
      const { name, mediaType, organisationId } = document.document;
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "document.see",
        subject: documentId,
        organisationId,
      });
      const plain = unwrap(document.wrapped, engine.wrappingKey, documentAdditionalData(documentId));
      return { answer: { name, mediaType, content: plain.toString("base64") } };
    });
  },
});

export const approveMerchant = decisionRoute(
  "approve",
  "approved",
  "Approves a merchant for live and notifies its owners by email.",
);
export const refuseMerchant = decisionRoute(
  "refuse",
  "refused",
  "Rejects a go-live request. The owners get the reason by email and can submit again.",
);

function decisionRoute(verb: string, verdict: ReviewDecision["verdict"], summary: string): Route {
  return memberRoute({
    method: "POST",
    path: `/accounts/merchants/${verb}`,
    sites: ["operator"],
    summary,
    access: "merchants.review",
    request: Body({ organisationId: TokenOrId, submission: Type.Integer({ minimum: 1 }), reason: Reason }),
    response: EmptyObject,

    async handle(call, { organisationId, submission, reason }) {
      const { caller, engine, now } = call;
      const decided = { organisationId, submission, verdict, reason, actor: actorOf(caller), now };
      const emails = await call.transaction((tx) => decideReview(tx, decided, engine.siteUrls.portal));
      if ("refusal" in emails) return emails;
      call.sendAfterCommit(emails);
      return { answer: {} };
    },
  });
}
