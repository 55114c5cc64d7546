import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { runAsOwner } from "../run-as-owner.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import type { EmailMessage } from "../mail/email-templates.ts";
import { recoveryCodeEmail, recoveryNotices } from "../mail/recovery-emails.ts";
import { newId } from "../new-id.ts";
import { lockMemberships } from "../organisations/membership.sql.ts";
import { countOtherStaffAdmins } from "../organisations/organisation.ts";
import { findStaff } from "../organisations/organisation.sql.ts";
import { toEmail } from "../people/person.ts";
import { findPersonByEmail } from "../people/person.sql.ts";
import { newToken } from "../sessions/begin-session.tx.ts";
import {
  codeBytes,
  hashRecoveryCode,
  formatRecoveryCode,
  staffAdminsNeeded,
  staffRecoveryLifetimeMs,
  staffWaitMs,
} from "./recovery.ts";
import { insertRecovery } from "./recovery.sql.ts";
import { listNoticeRecipients } from "./recipients.sql.ts";

interface StaffRecovery {
  /** The owner's login of the accounts database. */
  readonly url: string;
  readonly siteUrls: { readonly portal: string; readonly operator: string };
  readonly email: string;
  readonly reason: string;
  readonly now: Date;
  sendEmail(email: EmailMessage): Promise<void>;
}

/**
 * `recoverStaff` starts the recovery of a staff member if fewer than two other staff-admins could vouch. The code is
 * valid after 24 hours. All staff get a notice with a link that stops the recovery, and the person gets the code; the
 * command prints neither.
 */
export async function recoverStaff(options: StaffRecovery): Promise<{ readonly readyAt: Date }> {
  const { url, siteUrls, reason, now, sendEmail } = options;
  const readyAt = new Date(now.getTime() + staffWaitMs);
  const expiresAt = new Date(now.getTime() + staffRecoveryLifetimeMs);
  const actor = { kind: "command", name: userInfo().username, role: "owner" } as const;
  const code = formatRecoveryCode(randomBytes(codeBytes));
  const { token, tokenHash } = newToken();
  await runAsOwner(url, async (tx) => {
    const organisationId = (await findStaff(tx))?.organisationId ?? "";
    const roles = await lockMemberships(tx, organisationId);
    const person = await findPersonByEmail(tx, toEmail(options.email));
    if (!person || !roles.has(person.personId))
      throw new Error(`${options.email} is not the email address of a staff member.`);
    const { personId, name, email } = person;
    if (countOtherStaffAdmins(roles, personId) >= staffAdminsNeeded)
      throw new Error(
        "Two other staff-admins exist. Ask them to vouch in the operator console, on the page Staff.",
      );
    const recovery = {
      recoveryId: newId("rec"),
      personId,
      organisationId,
      requestedBy: undefined,
      requestedByCommand: actor.name,
      confirmedBy: undefined,
      reason,
      requestedAt: now,
      readyAt,
      expiresAt,
    };
    if (!(await insertRecovery(tx, recovery, { codeHash: hashRecoveryCode(code), cancelHash: tokenHash })))
      throw new Error(
        "A recovery of this account is already in progress. Stop it first, or wait until it expires.",
      );
    await insertAudit(tx, {
      actor,
      act: "recovery.ask",
      subject: personId,
      organisationId,
      reason,
      after: { recoveryId: recovery.recoveryId, readyAt: readyAt.toISOString() },
    });
    const to = await listNoticeRecipients(tx, personId);
    const vouchedBy = `${actor.name}, at the command line,`;
    const notices = recoveryNotices(siteUrls.portal, {
      to,
      name,
      email,
      vouchedBy,
      secondVoucher: undefined,
      readyAt,
      token,
    });
    // The notices are sent before the commit, because without them the recovery must not start.
    for (const notice of notices) await sendEmail(notice);
    await sendEmail(recoveryCodeEmail(siteUrls.operator, { to: email, code, readyAt, expiresAt }));
  });
  return { readyAt };
}
