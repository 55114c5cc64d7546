import type { Actor } from "../../../server/src/audit/audit.ts";
import type { Tx } from "../../../server/src/postgres/sql.ts";
import { refuse, type Refusal } from "../api/refusal.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import type { EmailMessage } from "../mail/email-templates.ts";
import { reviewApprovedEmail, reviewRefusedEmail } from "../mail/review-emails.ts";
import { listAddresses } from "../organisations/membership.sql.ts";
import { findMerchant, enableLive } from "../organisations/organisation.sql.ts";
import { closeReview, lockReview } from "./review.sql.ts";

export interface ReviewDecision {
  readonly organisationId: string;
  /** The submission that the operator reviewed. The merchant may have withdrawn it and submitted another. */
  readonly submission: number;
  readonly verdict: "approved" | "refused";
  /** The reason of the decision, for the email to the merchant and for the audit log. */
  readonly reason: string;
  readonly actor: Actor;
  readonly now: Date;
}

/** `decideReview` stores the decision and returns the emails to the owners. */
export async function decideReview(
  tx: Tx,
  { organisationId, submission, verdict, reason, actor, now }: ReviewDecision,
  publicUrl: string,
): Promise<readonly EmailMessage[] | Refusal> {
  const merchant = await findMerchant(tx, organisationId);
  if (!merchant) return refuse("NOT_FOUND");
  const review = await lockReview(tx, organisationId);
  if (review.status !== "submitted" || review.submission !== submission) return refuse("REVIEW_CHANGED");
  await closeReview(tx, organisationId, { status: verdict, reason, now });
  if (verdict === "approved") await enableLive(tx, organisationId, now);
  await insertAudit(tx, {
    actor,
    act: verdict === "approved" ? "review.approve" : "review.refuse",
    subject: organisationId,
    organisationId,
    reason,
    after: { submission },
  });
  const owners = await listAddresses(tx, organisationId, ["owner"]);
  const organisation = merchant.name;
  return owners.map((to) =>
    verdict === "approved"
      ? reviewApprovedEmail(publicUrl, { to, organisation })
      : reviewRefusedEmail(publicUrl, { to, organisation, reason }),
  );
}
