/** The sentences of what takes two people. */
export const englishApprovals = {
  title: "Second person",
  lede: "Some acts take two people here. What you confirm is exactly what is shown, and nothing else.",
  noneTitle: "Nothing waits for a second person",
  none: "Some acts need approval, such as new keys or large refunds. When another person asks for one, it appears here.",
  why: "Why it should be done",
  ask: "Ask a second person",
  asked: "Everybody who can confirm it got a letter. Once somebody has, do it again here, or on the page",
  until: "open until",
  waits: "Waits for somebody else with the same right.",
  confirmed: "Somebody has confirmed it. It can be done within the hour.",
  goBack: "Somebody has confirmed it. Go back to the page on which you asked, and do it again there.",
  confirm: "Confirm",
  go: "Do it now",
  takeBack: "Take back",
  turnDown: "Turn down",
  break: "Look at break {{number}}",
} as const;
