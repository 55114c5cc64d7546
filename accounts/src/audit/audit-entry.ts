import type { Actor } from "../../../server/src/audit/audit.ts";

/**
 * All audited actions by their names in the audit log. A name that ends in `.see` is a view by staff, which changes
 * nothing.
 */
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

/** An entry of the audit log. It never contains passwords, codes, links or tokens. */
export interface AuditEntry {
  readonly actor: Actor;
  readonly act: Act;
  /** The id of the person or record that the action affected. */
  readonly subject: string;
  readonly organisationId?: string | undefined;
  readonly reason?: string;
  readonly before?: object;
  readonly after?: object;
}

/** An unauthenticated person. */
export const unauthenticatedActor: Actor = { kind: "person", name: "unknown", role: "none" };
