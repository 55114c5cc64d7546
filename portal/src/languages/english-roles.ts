/** Names of the roles. */
export const englishRoles = {
  owner: "Owner",
  admin: "Admin",
  developer: "Developer",
  finance: "Finance",
  support: "Support",
  reader: "Reader",
  "staff-admin": "Staff: admin",
  "staff-operator": "Staff: operator",
  "staff-finance": "Staff: finance",
  "staff-support": "Staff: support",
} as const;

/** Description of each role in one sentence. */
export const englishRolesMean = {
  owner: "All permissions, including going live and managing owners.",
  admin: "All permissions except managing owners and going live.",
  developer: "Builds and runs the integration. Can move money only in the sandbox.",
  finance: "Views balances, and refunds and captures payments.",
  support: "Helps buyers: views and cancels payments, answers disputes.",
  reader: "Can view, and cannot change anything.",
  "staff-admin": "All permissions, including managing staff.",
  "staff-operator": "Manages merchants, payment providers and stuck records.",
  "staff-finance": "Reconciles the ledger and closes breaks.",
  "staff-support": "Can view the data of merchants, and cannot change anything.",
} as const;

/** Names of the permissions, keyed by the `permissions` table of the server. */
export const englishPermissions = {
  payments: {
    read: "View payments",
    refund: "Refund payments",
    cancel: "Cancel payments",
    capture: "Capture payments",
  },
  disputes: { read: "View disputes", accept: "Accept disputes", answer: "Answer disputes" },
  balance: { read: "View the balance" },
  stores: { read: "View stores" },
  notifications: { read: "View webhooks", resend: "Resend webhooks" },
  calls: { read: "View API requests" },
  keys: { read: "View keys", change: "Add and revoke keys" },
  endpoints: { change: "Change webhook endpoints" },
  brand: { change: "Change the brand of the checkout page" },
  clients: { open: "Create client ids" },
  sandbox: { steer: "Control the sandbox: test clock, faults, test webhooks" },
  live: { prepare: "Prepare to go live", ask: "Request to go live" },
  people: {
    read: "View people",
    invite: "Invite people",
    change: "Change roles, remove people",
    recover: "Vouch for account recovery of merchants' members",
  },
  organisation: { change: "Change the organisation" },
  audit: { read: "View the audit log" },
  merchants: { read: "View merchants", review: "Review merchants", change: "Change and suspend merchants" },
  providers: { read: "View payment providers", change: "Change and disable payment providers" },
  "open-records": { read: "View open records" },
  jobs: { retry: "Retry, hold and release jobs" },
  breaks: { read: "View breaks", close: "Explain and close breaks", "write-off": "Write off breaks" },
  announcements: { write: "Publish announcements" },
} as const;
