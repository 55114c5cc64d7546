import { Type } from "typebox";
import { OneOf, Time } from "../api/schemas.ts";
import { mediaTypes, type Document } from "./document.ts";
import { showings, type Showing } from "./review.ts";

/** A document in a list, without its content. */
export const DocumentShown = Type.Object({
  documentId: Type.String(),
  shows: OneOf(showings),
  name: Type.String(),
  mediaType: OneOf(mediaTypes),
  bytes: Type.Integer(),
  sha256: Type.String(),
  uploadedAt: Time,
});

export function shownDocument({ documentId, shows, name, mediaType, bytes, sha256, uploadedAt }: Document): {
  readonly documentId: string;
  readonly shows: Showing;
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
