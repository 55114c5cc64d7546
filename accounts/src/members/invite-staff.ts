import { userInfo } from "node:os";
import { isRole, personKindOf } from "../../../server/src/people/role.ts";
import { runAsOwner } from "../run-as-owner.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { tokenLink } from "../mail/email-templates.ts";
import { newId } from "../new-id.ts";
import { toEmail } from "../people/person.ts";
import { newToken } from "../sessions/begin-session.tx.ts";
import { insertInvitation } from "../organisations/invitation.sql.ts";
import { invitationLifetimeMs } from "./invite.ts";
import { findStaff, insertOrganisation } from "../organisations/organisation.sql.ts";

interface StaffInvitation {
  readonly url: string;
  readonly publicUrl: string;
  readonly email: string;
  readonly role: string;
  readonly now: Date;
}

/**
 * `inviteStaff` invites a staff member with a link that the command prints. The first invitation creates the staff
 * organisation.
 */
export async function inviteStaff({ url, publicUrl, email, role, now }: StaffInvitation): Promise<string> {
  if (!isRole(role) || personKindOf(role) !== "staff") throw new Error(`${role} is not a staff role.`);
  const { token, tokenHash } = newToken();
  const actor = { kind: "command", name: userInfo().username, role: "owner" } as const;
  await runAsOwner(url, async (tx) => {
    const organisationId = (await findStaff(tx))?.organisationId ?? newId("org");
    if (!(await findStaff(tx)))
      await insertOrganisation(tx, { organisationId, kind: "staff", name: "Operators" }, now);
    const invitation = {
      invitationId: newId("inv"),
      organisationId,
      email: toEmail(email),
      role,
      invitedBy: `command ${actor.name}`,
      expiresAt: new Date(now.getTime() + invitationLifetimeMs),
    };
    await insertInvitation(tx, invitation, tokenHash, now);
    await insertAudit(tx, {
      actor,
      act: "invitation.send",
      subject: invitation.invitationId,
      organisationId,
      after: { email: invitation.email, role },
    });
  });
  return tokenLink(publicUrl, "invitation", token);
}
