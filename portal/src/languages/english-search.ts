/** Texts of search and filters for payments. */
export const englishSearch = {
  label: "Search",
  hint: "Order number, any id or reference, or an amount such as EUR 12.50",
  go: "Search",
  method: "Payment method",
  methodHint: "such as GCASH",
  currency: "Currency",
  currencyHint: "such as EUR",
  from: "From",
  until: "Until",
  clear: "Clear filter",
  age: "Data from {{seconds}} s ago",
  ageMeans: "Lists show a change shortly after it happens; this is the age of the data. Dates are in UTC.",
} as const;

/** Texts of the CSV download of a list. */
export const englishExport = {
  do: "Download CSV",
  stop: "Stop",
  running: "{{number}} rows loaded, back to {{until}}",
  done: "{{number}} rows downloaded to {{file}}.",
  stopped: "Stopped after {{number}} rows. No file was saved.",
} as const;

/** Texts of the charts. */
export const englishCharts = {
  title: "Charts",
  lede: "Payments by the time of their creation. Each chart can be shown as a table.",
  period: "Period",
  days: "Last {{number}} days",
  day: "Last 24 hours",
  anyMethod: "All payment methods",
  noneTitle: "No data yet",
  none: "There are no payments in this period. Choose a longer period, or send a payment; it is counted within seconds.",
  volume: "Paid volume in {{currency}}",
  payments: "Payments",
  rate: "Success rate",
  rateMeans: "Share of paid payments among the payments with a final status.",
  pace: "Time until payment",
  paceAverage: "{{seconds}} s on average",
  upTo: "Up to {{until}} s",
  between: "{{from}} to {{until}} s",
  longer: "Longer",
  reasons: "Reasons for unpaid payments",
  noReasons: "All payments of this period are paid or processing.",
  methods: "By payment method",
  paid: "Paid",
  failed: "Failed",
  cancelled: "Cancelled",
  open: "Processing",
  total: "Total",
  time: "Time (UTC)",
  reason: "Reason",
  method: "Payment method",
  share: "Share",
  asTable: "Show as a table",
  nothing: "none",
} as const;
