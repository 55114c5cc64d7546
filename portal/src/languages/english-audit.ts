import { commandActs } from "../generated/english-names.ts";
import type { Routes } from "../generated/accounts.ts";

type AccountsAct = Routes["GET /accounts/audit"]["response"]["entries"][number]["act"];

/** Names of audited actions in accounts. The compiler verifies that each action has a name. */
const inAccounts = {
  "registration.verify": "Registered",
  "sign-in": "Signed in",
  "developer.sign-in": "Signed in with the link of tollgate dev",
  "sign-in.refuse": "Failed to sign in",
  "sign-out": "Signed out",
  "session.end": "Ended another session",
  "step-up": "Re-authenticated",
  "step-up.refuse": "Failed to re-authenticate",
  "passkey.add": "Added a passkey",
  "passkey.remove": "Removed a passkey",
  "password.set": "Set a password",
  "invitation.send": "Invited a person",
  "invitation.revoke": "Withdrew an invitation",
  "invitation.accept": "Accepted an invitation",
  "membership.change": "Changed a role",
  "membership.end": "Removed a person",
  "client.give": "Received a client id",
  "approval.ask": "Requested an approval",
  "approval.confirm": "Approved a request",
  "approval.drop": "Withdrew or rejected an approval request",
  "recovery.ask": "Vouched for a person who lost access (first)",
  "recovery.confirm": "Vouched for a person who lost access (second)",
  "recovery.stop": "Stopped an account recovery",
  "recovery.begin": "Started account recovery with the code",
  "recovery.finish": "Set up a new sign-in method by account recovery",
  "review.change": "Changed the business details",
  "document.add": "Uploaded a document",
  "document.remove": "Removed a document",
  "document.see": "Viewed a document",
  "review.submit": "Requested to go live",
  "review.withdraw": "Withdrew the request to go live",
  "review.see": "Viewed a merchant's documents",
  "review.approve": "Approved the request to go live",
  "review.refuse": "Rejected the request to go live",
  "audit.see": "Viewed the audit log",
  "announcement.set": "Published an announcement",
  "announcement.end": "Removed an announcement",
} as const satisfies Readonly<Record<AccountsAct, string>>;

/** Names of audited actions on a gateway. */
const atGateways = {
  "payments/refund": "Refunded a payment",
  "payments/cancel": "Cancelled a payment",
  "payments/capture": "Captured an authorized payment",
  "payments/acceptDispute": "Accepted a dispute",
  "payments/supplyDefenseDocument": "Submitted dispute evidence",
  "tollgate/resendNotifications": "Resent webhooks",
  "tollgate/changeEndpoints": "Changed webhook endpoints",
  "tollgate/changeBrand": "Changed the brand of the checkout page",
  "tollgate/advanceClock": "Advanced the sandbox test clock",
  "tollgate/orderFault": "Scheduled a sandbox fault",
  "tollgate/sendTestNotification": "Sent a test webhook",
  "tollgate/openClient": "Created a client id with its first key",
  "tollgate/addKey": "Added a key",
  "tollgate/revokeKey": "Revoked a key",
} as const;

/** Names of the operator's actions on a merchant, by command or SQL. An action without a name here is shown with its raw name. */
const byProvider = {
  ...commandActs,
  "update clients": "Changed a client setting with SQL",
  "merchant close": "Closed the merchant",
  "payout create": "Created a payout",
  "payout drop": "Dropped a payout",
  "payout file release": "Released a payout file",
  "payout give up": "Abandoned a payout",
  "payout hand-over": "Handed a payout file over to the bank",
  "payout plan": "Planned a payout file",
  "payout wait": "Set the cooling-off period for new bank accounts",
  "row changes": "Changed rows with SQL",
  ask: "Requested an approval",
} as const;

/** Texts of the audit log. */
export const englishAudit = {
  title: "Audit log",
  lede: "Actions of people in accounts and on your client ids, newest first. Entries cannot be changed, not even by the operator.",
  who: "Person",
  anybody: "All people",
  provider: "Gateway operator",
  nobody: "Unknown person",
  what: "Action",
  anything: "All actions",
  where: "Place",
  everywhere: "All places",
  accounts: "Accounts",
  by: { command: "at the command line", sql: "with SQL" },
  looked: "Viewed: {{what}}",
  changed: "Details",
  nothing: "empty",
  missing: "{{where}} did not respond, so its entries are missing in this list.",
  again: "Try again",
  noneTitle: "No entries yet",
  none: "Each sign-in, role change, key change and refund by a person is recorded here with name and reason.",
  /** Groups of the action filter. `acts` below is keyed by the action names in the servers' audit logs. */
  groups: { accounts: "In accounts", gateways: "On a client id", provider: "By the gateway operator" },
  acts: { accounts: inAccounts, gateways: atGateways, provider: byProvider },
} as const;
