import type { Payment } from "../payments/payment.ts";
import type { Dispute } from "./dispute.ts";

/** File formats of evidence; WORD is both .doc and .docx. */
export type EvidenceFormat = "PDF" | "WORD" | "ZIP" | "JPG";

/** Maximum length in Base64 characters. */
export const evidenceLengthMax = 1_000_000;
/** Maximum size of a document in bytes: Base64 has four characters for three bytes. */
export const evidenceBytesMax = (evidenceLengthMax / 4) * 3;

export interface Evidence {
  readonly format: EvidenceFormat;
  readonly content: Uint8Array;
}

/** A supplied document, without its content. */
export interface SuppliedDocument {
  /** The number of the defense to which the document belongs. */
  readonly number: number;
  readonly format: EvidenceFormat;
  readonly bytes: number;
  /** The document's SHA-256 in hexadecimal digits, as `sha256sum` prints it. */
  readonly sha256: string;
  readonly at: Date;
}

/** An answered dispute, with its document. */
export interface AnsweredDispute {
  readonly dispute: Dispute;
  readonly evidence?: Evidence | undefined;
  /** The payment of the dispute; undefined until the payment is locked. */
  readonly payment?: Payment;
}

/**
 * `decodeEvidence` decodes a Base64 document, or returns an error text. The document's magic bytes decide the format, not
 * the sender's statement.
 */
export function decodeEvidence(text: string): Evidence | string {
  const content = Buffer.from(text, "base64");
  if (content.length === 0 || stripPadding(content.toString("base64")) !== stripPadding(text))
    return "disputeEvidence is not Base64.";
  const format = detectFormat(content);
  return format ? { format, content } : "disputeEvidence is neither PDF, DOC, DOCX, ZIP nor JPG.";
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
