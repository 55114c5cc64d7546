import type { Act } from "./audit.ts";

/** An act that needs an approval in live (four-eyes principle). */
interface DualApprovalRule {
  /** The role that requester and approver need. */
  readonly role: "operator" | "finance" | "admin";
  /** Whether an act of this kind needs an approval; absent if all do. */
  readonly applies?: (act: Act) => boolean;
}

/**
 * Acts that need an approval: changes of keys, fees, accounts at providers and API access, payouts and write-offs. A merchant's bank account
 * has its own approval: `payout account approve`.
 */
export const dualApprovalActs: Readonly<Record<string, DualApprovalRule>> = {
  // Adding gateway key 1 needs no approval: before the first key exists, there is nothing to protect, and no other
  // person to approve it.
  "gateway-key add": { role: "admin", applies: ({ subject }) => subject !== "gateway key 1" },
  "gateway-key retire": { role: "admin" },
  "merchant set": { role: "operator", applies: ({ after = {} }) => "feeBasisPoints" in after },
  "merchant suspend": { role: "operator" },
  "merchant resume": { role: "operator" },
  "merchant key add": { role: "operator" },
  "merchant key revoke": { role: "operator" },
  "merchant gateway-key": { role: "operator" },
  "connector gateway-key": { role: "operator" },
  "connector account set": { role: "operator" },
  "connector account remove": { role: "operator" },
  "break write-off": { role: "finance" },
  "fee set": { role: "finance" },
  "fx rate set": { role: "finance" },
  "payout release": { role: "finance" },
  "payout terms set": { role: "finance" },
  "payout bank set": { role: "finance" },
};

export function requiresApproval(act: Act): boolean {
  const rule = dualApprovalActs[act.act];
  return rule !== undefined && (rule.applies?.(act) ?? true);
}

/** Returns the subject of the audit row of a request or an approval. */
export function approvalSubject({ askedId, act, subject }: Act & { readonly askedId: number }): string {
  return `${askedId}: ${act} ${subject}`;
}

const widerRoles: Readonly<Record<DualApprovalRule["role"], readonly string[]>> = {
  operator: ["operator", "admin", "owner"],
  finance: ["finance", "admin", "owner"],
  admin: ["admin", "owner"],
};

export function mayApprove(act: string, role: string): boolean {
  const rule = dualApprovalActs[act];
  return rule !== undefined && widerRoles[rule.role].includes(role);
}
