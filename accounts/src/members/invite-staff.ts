import { userInfo } from "node:os";
import { isRole, kindOfRole } from "../../../server/src/people/role.ts";
import { asOwner } from "../as-owner.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { linkTo } from "../mail/emails.ts";
import { newId } from "../new-id.ts";
import { toEmail } from "../people/person.ts";
import { newToken } from "../sessions/begin-session.tx.ts";
import { insertInvitation } from "../organisations/invitation.sql.ts";
import { invitationLastsMs } from "./invite.ts";
import { findStaff, insertOrganisation } from "../organisations/organisation.sql.ts";

interface Invited {
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
export async function inviteStaff({ url, publicUrl, email, role, now }: Invited): Promise<string> {
  if (!isRole(role) || kindOfRole(role) !== "staff") throw new Error(`${role} is not a staff role.`);
  const { token, tokenHash } = newToken();
  const actor = { kind: "command", name: userInfo().username, role: "owner" } as const;
  await asOwner(url, async (tx) => {
    const organisationId = (await findStaff(tx))?.organisationId ?? newId("org");
    if (!(await findStaff(tx)))
      await insertOrganisation(tx, { organisationId, kind: "staff", name: "Operators" }, now);
    const invitation = {
      invitationId: newId("inv"),
      organisationId,
      email: toEmail(email),
      role,
      invitedBy: `command ${actor.name}`,
      expiresAt: new Date(now.getTime() + invitationLastsMs),
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
  return linkTo(publicUrl, "invitation", token);
}
