import type { Actor } from "../../../server/src/audit/audit.ts";

/** What is written down, in the words of the audit log. What ends in `.see` is a look of staff, and changes nothing. */
export const acts = [
  "registration.verify",
  "sign-in",
  "developer.sign-in",
  "sign-in.refuse",
  "sign-out",
  "session.end",
  "step-up",
  "step-up.refuse",
  "passkey.add",
  "passkey.remove",
  "password.set",
  "invitation.send",
  "invitation.revoke",
  "invitation.accept",
  "membership.change",
  "membership.end",
  "client.give",
  "approval.ask",
  "approval.confirm",
  "approval.drop",
  "recovery.ask",
  "recovery.confirm",
  "recovery.stop",
  "recovery.begin",
  "recovery.finish",
  "review.change",
  "document.add",
  "document.remove",
  "document.see",
  "review.submit",
  "review.withdraw",
  "review.see",
  "review.approve",
  "review.refuse",
  "audit.see",
  "announcement.set",
  "announcement.end",
] as const;

export type Act = (typeof acts)[number];

/** An entry of the audit log. Passwords, codes, links and tokens are in none. */
export interface AuditEntry {
  readonly actor: Actor;
  readonly act: Act;
  /** The id of what, or whom, it was done to. */
  readonly subject: string;
  readonly organisationId?: string | undefined;
  readonly reason?: string;
  readonly before?: object;
  readonly after?: object;
}

/** Somebody who has not proved who it is. */
export const stranger: Actor = { kind: "person", name: "unknown", role: "none" };
