import { writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { readKeyEncryptionKey } from "../../../server/src/signing/wrapping-keys.ts";
import { unwrap } from "../../../server/src/signing/wrapping.ts";
import { runAsOwner } from "../run-as-owner.ts";
import { refusals } from "../api/refusal.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { openMailer } from "../mail/send-email.ts";
import { findMerchant } from "../organisations/organisation.sql.ts";
import type { Settings } from "../settings.ts";
import { decideReview, type ReviewDecision } from "./decide-review.tx.ts";
import { documentAdditionalData, type Document } from "./business-document.ts";
import { findDocument, listDocuments } from "./document.sql.ts";
import type { Review } from "./review.ts";
import { findReview, listMerchants, type ListedMerchant } from "./review.sql.ts";

const actor = { kind: "command", name: userInfo().username, role: "owner" } as const;

/** `listPendingReviews` returns the merchants with a pending review. */
export async function listPendingReviews({ ownerDatabaseUrl }: Settings): Promise<readonly ListedMerchant[]> {
  const merchants = await runAsOwner(ownerDatabaseUrl, (tx) => listMerchants(tx, undefined));
  return merchants.filter(({ status }) => status === "submitted");
}

export interface ReviewDetails {
  readonly name: string;
  readonly review: Review;
  readonly documents: readonly Document[];
}

export async function readReview(
  { ownerDatabaseUrl }: Settings,
  organisationId: string,
): Promise<ReviewDetails> {
  return runAsOwner(ownerDatabaseUrl, async (tx) => {
    const merchant = await findMerchant(tx, organisationId);
    if (!merchant)
      throw new Error(`Merchant ${organisationId} not found. \`review list\` lists pending reviews.`);
    await insertAudit(tx, { actor, act: "review.see", subject: organisationId, organisationId });
    return {
      name: merchant.name,
      review: await findReview(tx, organisationId),
      documents: await listDocuments(tx, organisationId),
    };
  });
}

/** `saveDocument` writes a document to a new file that only the owner can read. It never overwrites a file. */
export async function saveDocument(
  { ownerDatabaseUrl, keyFile }: Settings,
  documentId: string,
  file: string,
): Promise<void> {
  const key = await readKeyEncryptionKey(keyFile);
  const plain = await runAsOwner(ownerDatabaseUrl, async (tx) => {
    const document = await findDocument(tx, documentId);
    if (!document)
      throw new Error(`Document ${documentId} not found. \`review show\` lists the documents of a merchant.`);
    const { organisationId } = document.document;
    await insertAudit(tx, { actor, act: "document.see", subject: documentId, organisationId });
    return unwrap(document.wrapped, key, documentAdditionalData(documentId));
  });
  await writeFile(file, plain, { mode: 0o600, flag: "wx" });
}

export async function decideByCommand(
  { ownerDatabaseUrl, publicUrl, smtpUrl, mailFrom }: Settings,
  decision: Omit<ReviewDecision, "actor" | "now">,
): Promise<void> {
  const completeDecision = { ...decision, actor, now: new Date() };
  const emails = await runAsOwner(ownerDatabaseUrl, (tx) => decideReview(tx, completeDecision, publicUrl));
  if ("refusal" in emails) throw new Error(refusals[emails.refusal][1]);
  const mailer = openMailer({ url: smtpUrl, from: mailFrom });
  for (const email of emails) await mailer.send(email);
  mailer.close();
}
