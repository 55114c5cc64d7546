import type { Actor } from "../../../server/src/audit/audit.ts";

/** What is written down, in the words of the audit log. */
export type Act =
  | "registration.verify"
  | "sign-in"
  | "developer.sign-in"
  | "sign-in.refuse"
  | "sign-out"
  | "session.end"
  | "step-up"
  | "step-up.refuse"
  | "passkey.add"
  | "passkey.remove"
  | "password.set"
  | "invitation.send"
  | "invitation.revoke"
  | "invitation.accept"
  | "membership.change"
  | "membership.end"
  | "client.give"
  | "approval.ask"
  | "approval.confirm"
  | "approval.drop"
  | "recovery.ask"
  | "recovery.confirm"
  | "recovery.stop"
  | "recovery.begin"
  | "recovery.finish"
  | "review.change"
  | "document.add"
  | "document.remove"
  | "document.see"
  | "review.submit"
  | "review.withdraw"
  | "review.see"
  | "review.approve"
  | "review.refuse"
  | "announcement.set"
  | "announcement.end";

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

export interface ReadEntry extends AuditEntry {
  readonly seq: number;
  readonly at: Date;
}

/** Somebody who has not proved who it is. */
export const stranger: Actor = { kind: "person", name: "unknown", role: "none" };
