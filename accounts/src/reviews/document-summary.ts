import { Type } from "typebox";
import { OneOf, Time } from "../api/schemas.ts";
import { mediaTypes, type Document } from "./business-document.ts";
import { documentTypes, type DocumentType } from "./review.ts";

/** A document in a list, without its content. */
export const DocumentSummary = Type.Object({
  documentId: Type.String(),
  shows: OneOf(documentTypes),
  name: Type.String(),
  mediaType: OneOf(mediaTypes),
  bytes: Type.Integer(),
  sha256: Type.String(),
  uploadedAt: Time,
});

export function summarizeDocument({
  documentId,
  shows,
  name,
  mediaType,
  bytes,
  sha256,
  uploadedAt,
}: Document): {
  readonly documentId: string;
  readonly shows: DocumentType;
  readonly name: string;
  readonly mediaType: Document["mediaType"];
  readonly bytes: number;
  readonly sha256: string;
  readonly uploadedAt: string;
} {
  return {
    documentId,
    shows,
    name,
    mediaType,
    bytes,
    sha256: Buffer.from(sha256).toString("hex"),
    uploadedAt: uploadedAt.toISOString(),
  };
}
