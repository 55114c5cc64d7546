/** The sentences of searching and filtering payments. */
export const englishSearch = {
  label: "Search",
  hint: "Order number, any id or reference, or an amount: EUR 12.50",
  go: "Search",
  method: "Method",
  methodHint: "such as GCASH",
  currency: "Currency",
  currencyHint: "such as EUR",
  from: "From",
  until: "Until",
  clear: "Clear the filter",
  age: "As of {{seconds}} s ago",
  ageMeans:
    "Lists are filled a moment after a payment changes. What is newer is not in them yet. Days are those of UTC.",
} as const;

/** The sentences of saving a list to a file. */
export const englishExport = {
  do: "Save as CSV",
  stop: "Stop",
  running: "{{number}} rows, back to {{until}}",
  done: "{{number}} rows saved to {{file}}.",
  stopped: "Stopped after {{number}} rows; nothing was saved.",
} as const;

/** The sentences of the charts. */
export const englishCharts = {
  title: "Charts",
  lede: "By the time at which payments were taken in. Each chart has its figures as a table.",
  period: "Period",
  days: "Last {{number}} days",
  day: "Last 24 hours",
  anyMethod: "All methods",
  noneTitle: "Nothing to chart yet",
  none: "There was no payment in this period. Choose a longer one, or send a payment: it is counted within seconds.",
  volume: "Paid volume in {{currency}}",
  payments: "Payments",
  rate: "Success rate",
  rateMeans: "Paid ones among those that are over.",
  pace: "Time until paid",
  paceAverage: "{{seconds}} s on average",
  upTo: "Up to {{until}} s",
  between: "{{from}} to {{until}} s",
  longer: "Longer",
  reasons: "Why payments were not paid",
  noReasons: "All payments of this period were paid, or are in process.",
  methods: "By method",
  paid: "Paid",
  failed: "Failed",
  cancelled: "Cancelled",
  open: "In process",
  total: "In all",
  time: "Time (UTC)",
  reason: "Reason",
  method: "Method",
  share: "Share",
  asTable: "Show as a table",
  nothing: "none",
} as const;
