import { sha256 } from "../core/digest.ts";
import type { Payment } from "../payments/payment.ts";
import { evidenceTypes, type EvidenceType } from "../providers/dispute-values.ts";
import type { EvidenceDocument } from "../providers/provider.ts";
import type { Dispute } from "./dispute.ts";

/** File formats of evidence; WORD is both .doc and .docx. */
export type EvidenceFormat = EvidenceDocument["format"];

/** Maximum length in Base64 characters. */
export const evidenceLengthMax = 1_000_000;
/** Maximum size of a document in bytes: Base64 has four characters for three bytes. */
export const evidenceBytesMax = (evidenceLengthMax / 4) * 3;
/** Maximum number of documents of a defense. */
export const documentsMax = 10;
/** Maximum size of the documents of a defense together, in bytes. In Base64 they fit into a request of 1.5 MiB. */
export const documentsBytesMax = 1024 * 1024;

export interface Evidence {
  readonly format: EvidenceFormat;
  readonly content: Uint8Array;
}

/** A document of a defense. */
export interface TypedEvidence extends Evidence {
  readonly type: EvidenceType;
  readonly sha256: Uint8Array;
}

/** A supplied document, without its content. */
export interface SuppliedDocument {
  /** The number of the defense to which the document belongs. */
  readonly number: number;
  /** The position of the document in its defense, from 1. */
  readonly position: number;
  readonly type: EvidenceType;
  readonly format: EvidenceFormat;
  readonly bytes: number;
  /** The document's SHA-256 in hexadecimal digits, as `sha256sum` prints it. */
  readonly sha256: string;
  readonly at: Date;
}

/** An answered dispute, with the documents of its last defense. */
export interface AnsweredDispute {
  readonly dispute: Dispute;
  readonly evidence?: readonly TypedEvidence[];
  readonly payment: Payment;
}

/**
 * `decodeEvidence` decodes a Base64 document, or returns an error text. The document's magic bytes decide the format, not
 * the sender's statement.
 */
function decodeEvidence(text: string): Evidence | string {
  const content = Buffer.from(text, "base64");
  if (content.length === 0 || stripPadding(content.toString("base64")) !== stripPadding(text))
    return "disputeEvidence is not Base64.";
  const format = detectFormat(content);
  return format ? { format, content } : "disputeEvidence is neither PDF, DOC, DOCX, ZIP nor JPG.";
}

/** A document as a merchant supplies it; without a type it is OTHER. */
interface SuppliedEvidence {
  readonly disputeEvidence: string;
  readonly evidenceType?: string;
}

/** `decodeDocuments` decodes the documents of a defense, or returns an error text. */
export function decodeDocuments(supplied: readonly SuppliedEvidence[]): readonly TypedEvidence[] | string {
  const documents: TypedEvidence[] = [];
  let bytes = 0;
  for (const { disputeEvidence, evidenceType } of supplied) {
    const evidence = decodeEvidence(disputeEvidence);
    if (typeof evidence === "string") return evidence;
    const type = evidenceTypes.find((each) => each === evidenceType) ?? "OTHER";
    bytes += evidence.content.length;
    documents.push({ ...evidence, type, sha256: sha256(evidence.content) });
  }
  return bytes <= documentsBytesMax
    ? documents
    : `The documents have ${bytes} bytes together. The maximum is ${documentsBytesMax}.`;
}

/** `toProviderDocument` returns a document as the provider receives it. */
export function toProviderDocument({
  type,
  format,
  content,
  sha256: digest,
}: TypedEvidence): EvidenceDocument {
  return { type, format, content: encodeEvidence({ content }), sha256: Buffer.from(digest).toString("hex") };
}

export function encodeEvidence({ content }: Pick<Evidence, "content">): string {
  return Buffer.from(content).toString("base64");
}

function stripPadding(text: string): string {
  return text.replace(/={1,2}$/, "");
}

const pdf = Buffer.from("%PDF-");
const zip = Buffer.from([0x50, 0x4b, 0x03, 0x04]);
/** Compound File Binary: the container of .doc files. */
const compoundFile = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const jpg = Buffer.from([0xff, 0xd8, 0xff]);

function detectFormat(content: Buffer): EvidenceFormat | undefined {
  if (startsWith(content, pdf)) return "PDF";
  if (startsWith(content, compoundFile)) return "WORD";
  if (startsWith(content, jpg)) return "JPG";
  if (!startsWith(content, zip)) return undefined;
  // A .docx file is a ZIP archive with this entry.
  return content.includes("word/document.xml") ? "WORD" : "ZIP";
}

function startsWith(content: Buffer, prefix: Buffer): boolean {
  return content.subarray(0, prefix.length).equals(prefix);
}
