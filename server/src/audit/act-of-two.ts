import type { Act } from "./audit.ts";

/** An act that takes two people in live (four eyes). */
interface OfTwo {
  /** The role that the second one needs, which is that of the first. */
  readonly role: "operator" | "finance" | "admin";
  /** Whether this one does; all of them, when it is absent. */
  readonly applies?: (act: Act) => boolean;
}

/** Keys, fees, who may call, where money goes, and what of it is given up. A merchant's bank account has a second person of its own: `payout account approve`. */
export const actsOfTwo: Readonly<Record<string, OfTwo>> = {
  // Before there is a first key there is nothing to protect, and nobody else yet.
  "gateway-key add": { role: "admin", applies: ({ subject }) => subject !== "gateway key 1" },
  "gateway-key retire": { role: "admin" },
  "merchant set": { role: "operator", applies: ({ after = {} }) => "feeBasisPoints" in after },
  "merchant suspend": { role: "operator" },
  "merchant resume": { role: "operator" },
  "merchant key add": { role: "operator" },
  "merchant key revoke": { role: "operator" },
  "merchant gateway-key": { role: "operator" },
  "connector gateway-key": { role: "operator" },
  "break write-off": { role: "finance" },
  "fee set": { role: "finance" },
  "rate set": { role: "finance" },
  "payout release": { role: "finance" },
  "payout terms set": { role: "finance" },
  "payout bank set": { role: "finance" },
};

export function takesTwo(act: Act): boolean {
  const rule = actsOfTwo[act.act];
  return rule !== undefined && (rule.applies?.(act) ?? true);
}

/** What the audit says that was asked for, or approved. */
export function askedSubject({ askedId, act, subject }: Act & { readonly askedId: number }): string {
  return `${askedId}: ${act} ${subject}`;
}

const widerRoles: Readonly<Record<OfTwo["role"], readonly string[]>> = {
  operator: ["operator", "admin", "owner"],
  finance: ["finance", "admin", "owner"],
  admin: ["admin", "owner"],
};

export function mayApprove(act: string, role: string): boolean {
  const rule = actsOfTwo[act];
  return rule !== undefined && widerRoles[rule.role].includes(role);
}
