/** The one who acts: a person with a token, or a command that somebody runs. */
interface Actor {
  readonly kind: "person" | "command";
  readonly name: string;
  readonly role: string;
}

/** An act, as it is written to the audit log in its own transaction. */
export interface AuditEntry {
  readonly actor: Actor;
  readonly act: string;
  /** The record that it was about. */
  readonly subject: string;
  readonly clientId?: string;
  /** In the person's own words. */
  readonly reason?: string;
  readonly before?: object;
  readonly after?: object;
}
