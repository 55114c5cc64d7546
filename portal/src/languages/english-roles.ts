/** What roles are called. */
export const englishRoles = {
  owner: "Owner",
  admin: "Admin",
  developer: "Developer",
  finance: "Finance",
  support: "Support",
  reader: "Reader",
  "staff-admin": "Provider: admin",
  "staff-operator": "Provider: operator",
  "staff-finance": "Provider: finance",
  "staff-support": "Provider: support",
} as const;

/** What each is for, in one sentence. */
export const englishRolesMean = {
  owner: "Everything, going live and other owners included.",
  admin: "Everything but owners and going live.",
  developer: "Builds and runs the integration. Moves money in the sandbox alone.",
  finance: "Sees the money, refunds and captures it.",
  support: "Helps buyers: sees payments, cancels them, answers disputes.",
  reader: "Sees, and changes nothing.",
  "staff-admin": "Everything, other staff included.",
  "staff-operator": "Looks after merchants, wallets and what is stuck.",
  "staff-finance": "Looks after the books, and closes breaks.",
  "staff-support": "Sees what merchants ask about, and changes nothing.",
} as const;

/** What a role may do, by the words of the table of rights. */
export const englishRights = {
  payments: {
    read: "See payments",
    refund: "Refund payments",
    cancel: "Cancel payments",
    capture: "Capture held money",
  },
  disputes: { read: "See disputes", accept: "Accept disputes", answer: "Answer disputes" },
  balance: { read: "See the balance" },
  stores: { read: "See stores" },
  notifications: { read: "See notifications", resend: "Send notifications again" },
  calls: { read: "See calls" },
  keys: { read: "See keys", change: "Add and revoke keys" },
  endpoints: { change: "Change addresses of notifications" },
  brand: { change: "Change how checkout pages look" },
  clients: { open: "Open client ids" },
  sandbox: { steer: "Steer the sandbox: clock, faults, test notifications" },
  live: { prepare: "Prepare to go live", ask: "Ask to go live" },
  people: {
    read: "See people",
    invite: "Invite people",
    change: "Change roles, remove people",
    recover: "Vouch for account recovery of merchants' people",
  },
  organisation: { change: "Change the organisation" },
  audit: { read: "See who did what" },
  merchants: { read: "See merchants", review: "Review merchants", change: "Change and suspend merchants" },
  wallets: { read: "See wallets", change: "Change and disable wallets" },
  "open-records": { read: "See what is not final" },
  jobs: { retry: "Retry, hold and release what is planned" },
  breaks: { read: "See breaks", close: "Explain and close breaks", "write-off": "Write breaks off" },
  announcements: { write: "Announce something" },
} as const;
