import { Type } from "typebox";
import { sha256 } from "../../../server/src/core/digest.ts";
import { wrap } from "../../../server/src/signing/wrapping.ts";
import { refuse } from "../api/refusal.ts";
import { memberRoute } from "../api/route.ts";
import { Body, Name, EmptyObject, OneOf, TokenOrId } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { newId } from "../new-id.ts";
import { actorOf } from "../sessions/session.ts";
import { documentBytesMax, documentAdditionalData, documentsMax, mediaTypeOf } from "./business-document.ts";
import { deleteDocument, insertDocument, listDocuments } from "./document.sql.ts";
import { mayChange, documentTypes } from "./review.ts";
import { lockReview } from "./review.sql.ts";

/** Base64 uses four characters for three bytes. */
const contentLengthMax = Math.ceil(documentBytesMax / 3) * 4;

/** The file type comes from the first bytes, not from the sender. */
export const addDocument = memberRoute({
  method: "POST",
  path: "/accounts/review/documents",
  summary: "Adds a document: a PDF, a PNG or a JPEG of at most 4 MB, in base64.",
  access: "live.prepare",
  bodyBytesMax: contentLengthMax + 4096,
  request: Body({
    shows: OneOf(documentTypes),
    name: Name,
    content: Type.String({ minLength: 4, pattern: "^[A-Za-z0-9+/]+={0,2}$" }),
  }),
  response: Type.Object({ documentId: Type.String() }),

  async handle(call, { shows, name, content }) {
    const { caller, engine, now } = call;
    const { organisationId } = caller.membership;
    const plain = Buffer.from(content, "base64");
    const mediaType = mediaTypeOf(plain);
    if (!mediaType || plain.length > documentBytesMax) return refuse("DOCUMENT_REFUSED");
    const documentId = newId("doc");
    const document = {
      documentId,
      organisationId,
      shows,
      name,
      mediaType,
      bytes: plain.length,
      sha256: sha256(plain),
      uploadedAt: now,
    };
    return call.transaction(async (tx) => {
      if (!mayChange(await lockReview(tx, organisationId))) return refuse("REVIEW_UNDER_WAY");
      if ((await listDocuments(tx, organisationId)).length >= documentsMax) return refuse("TOO_MANY");
      await insertDocument(tx, document, wrap(plain, engine.wrappingKey, documentAdditionalData(documentId)));
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "document.add",
        subject: documentId,
        organisationId,
        after: { shows, mediaType, bytes: plain.length, sha256: document.sha256.toString("hex") },
      });
      return { answer: { documentId } };
    });
  },
});

export const removeDocument = memberRoute({
  method: "POST",
  path: "/accounts/review/documents/remove",
  summary: "Removes a document.",
  access: "live.prepare",
  request: Body({ documentId: TokenOrId }),
  response: EmptyObject,

  async handle(call, { documentId }) {
    const { caller } = call;
    const { organisationId } = caller.membership;
    return call.transaction(async (tx) => {
      if (!mayChange(await lockReview(tx, organisationId))) return refuse("REVIEW_UNDER_WAY");
      const deleted = await deleteDocument(tx, organisationId, documentId);
      if (!deleted) return refuse("NOT_FOUND");
      await insertAudit(tx, {
        actor: actorOf(caller),
        act: "document.remove",
        subject: documentId,
        organisationId,
        before: { shows: deleted.shows, sha256: Buffer.from(deleted.sha256).toString("hex") },
      });
      return { answer: {} };
    });
  },
});
