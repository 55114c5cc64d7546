/** Texts of the page for approvals (four-eyes principle). */
export const englishApprovals = {
  title: "Approvals",
  lede: "Some actions require approval by another person (four-eyes principle). You approve exactly the request that is shown.",
  noneTitle: "No pending approvals",
  none: "Actions such as new keys or large refunds require approval. Requests of your colleagues appear here.",
  why: "Reason for the request",
  ask: "Request approval",
  asked:
    "Approval requested. Everyone who can approve was notified by email. After the approval, repeat the action here, or open the page",
  until: "expires",
  waits: "Waiting for approval by another person with the same permission.",
  confirmed: "Approved. Complete the action within one hour.",
  goBack: "Approved. Go back to the page where you requested the approval, and repeat the action there.",
  confirm: "Approve",
  go: "Complete the action",
  takeBack: "Withdraw",
  turnDown: "Reject",
  break: "Open break {{number}}",
} as const;
