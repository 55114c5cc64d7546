/** The sentences of account recovery. */
export const englishRecovery = {
  lost: "Lost your passkey or your telephone?",
  title: "Account recovery",
  lede: "Two people vouch for you. Then you get a code by email. Email alone is not enough.",
  howTwo: "Ask two owners or admins of your organisation. Each of them vouches for you on the page People.",
  howProvider:
    "Fewer than two of them, or you work for several organisations? Ask your provider. Two of their staff vouch, and the code is valid after 24 hours.",
  code: "Code",
  codeHint: "From the email that you got after the second person vouched.",
  go: "Continue",
  stopTitle: "Stop the account recovery",
  stopLede:
    "A person is about to get a new way to sign in. If that is not right, stop it. Then nothing changes.",
  stop: "Stop it",
  stopped: "The account recovery is stopped. All people who were notified get an email.",
  help: "Account recovery",
  helpNamed: "Account recovery: {{name}}",
  helpMeans:
    "For a person who has lost all passkeys and passwords. Be sure that it is {{name}}: call a number that you know. All owners get an email.",
  helpMeansStaff:
    "For a person who has lost all passkeys. Be sure that it is {{name}}: call a number that you know. All staff get an email.",
  reason: "How you verified the identity",
  vouch: "I vouch for {{name}}",
  needsSecond:
    "Now a second owner or admin has to vouch on this page. Then {{name}} gets a code by email. You do not get it.",
  needsSecondAdmin:
    "Now a second admin has to vouch on this page. Then {{name}} gets a code by email. You do not get it.",
  under: "Open account recoveries",
  waits: "needs a second person to vouch",
  isReady: "two people have vouched",
  until: "Expires",
  confirm: "I vouch as well",
  confirmNamed: "I vouch for {{name}} as well",
  end: "Stop",
  endNamed: "Stop the account recovery of {{name}}",
} as const;
