/** Texts of account recovery. */
export const englishRecovery = {
  lost: "Lost your passkey or your phone?",
  title: "Account recovery",
  lede: "Two people vouch for you. Then you get a code by email. Access to your email account alone is not sufficient.",
  howTwo: "Ask two owners or admins of your organisation. Each of them vouches for you on the page People.",
  howProvider:
    "Fewer than two owners and admins, or you work for several organisations? Ask the gateway operator. Two staff members vouch, and the code is valid after 24 hours.",
  code: "Code",
  codeHint: "From the email that you got after two people vouched.",
  go: "Continue",
  stopTitle: "Stop the account recovery",
  stopLede:
    "A person is about to get a new sign-in method. If you did not expect this, stop the recovery. Then nothing changes.",
  stop: "Stop the recovery",
  stopped: "The account recovery is stopped. All people who were notified get an email.",
  help: "Account recovery",
  helpNamed: "Account recovery: {{name}}",
  helpMeans:
    "For a person who has lost all passkeys and passwords. Verify that the person is {{name}}: call a phone number that you already know. All owners are notified by email.",
  helpMeansStaff:
    "For a person who has lost all passkeys. Verify that the person is {{name}}: call a phone number that you already know. All staff are notified by email.",
  reason: "How you verified the identity",
  vouch: "I vouch for {{name}}",
  needsSecond:
    "A second owner or admin must now vouch on this page. Then {{name}} gets a code by email. You do not get it.",
  needsSecondAdmin:
    "A second admin must now vouch on this page. Then {{name}} gets a code by email. You do not get it.",
  under: "Open account recoveries",
  waits: "needs one more person to vouch",
  isReady: "two people have vouched",
  until: "Expires",
  confirm: "I vouch as well",
  confirmNamed: "I vouch for {{name}} as well",
  end: "Stop",
  endNamed: "Stop the account recovery of {{name}}",
} as const;
