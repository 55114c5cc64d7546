import type { DocumentType } from "./review.ts";

export const mediaTypes = ["application/pdf", "image/png", "image/jpeg"] as const;
export type MediaType = (typeof mediaTypes)[number];

export interface Document {
  readonly documentId: string;
  readonly organisationId: string;
  readonly shows: DocumentType;
  readonly name: string;
  readonly mediaType: MediaType;
  readonly bytes: number;
  readonly sha256: Uint8Array;
  readonly uploadedAt: Date;
}

export const documentBytesMax = 4 * 1024 ** 2;
export const documentsMax = 12;

/** Magic bytes of each file type. A file name and the browser's content type are not trusted. */
const magicBytes: readonly (readonly [MediaType, Buffer])[] = [
  ["application/pdf", Buffer.from("%PDF-", "latin1")],
  ["image/png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff])],
];

/** `mediaTypeOf` returns the type of a file by its first bytes, or undefined for an unsupported type. */
export function mediaTypeOf(content: Uint8Array): MediaType | undefined {
  return magicBytes.find(([, start]) => start.equals(content.subarray(0, start.length)))?.[0];
}

/** The additional authenticated data of an encrypted document. It binds the document to its row. */
export function documentAdditionalData(documentId: string): string {
  return `document ${documentId}`;
}
