import { Type } from "typebox";
import { Amount, withDescription, forms, OneOf, Time, toTime, type Meanings } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { refuse } from "../core/result.ts";
import { findTimeToPay, listCurrencies, listMethods, listPoints, listReasons } from "./payment-count.sql.ts";
import {
  chartWindow,
  fillMissingPoints,
  type ChartPoint,
  type ChartWindow,
  type NamedCount,
  type TimeToPay,
  type Span,
} from "./payment-count.ts";
import { SearchAge } from "./search-age.schema.ts";
import { findSearchAgeMs } from "./search.sql.ts";

const spans: Meanings<Span> = { hour: "One point for each hour.", day: "One point for each day, in UTC." };

const Count = (description: string) => Type.Integer({ minimum: 0, description });

interface ChartView {
  readonly ageMs: number;
  readonly window: ChartWindow;
  readonly currencies: readonly string[];
  readonly chart: ChartData | undefined;
}

interface ChartData {
  readonly currency: string;
  readonly points: readonly ChartPoint[];
  readonly reasons: readonly NamedCount[];
  readonly methods: readonly NamedCount[];
  readonly pace: TimeToPay;
}

export const viewCharts = view({
  name: "charts",
  summary:
    "Sums up payments by hour or day: counts, amounts, success rate, time to pay, and failure reasons.",
  description:
    "Payments are counted by their creation time, in one currency (default: the currency with most " +
    "payments). Up to three days are shown by the hour, more by the day (UTC). The default window is the " +
    "last 30 days.",
  permission: "payments.read",

  request: Type.Object({
    createdFrom: Type.Optional(
      withDescription(Time, "Start of the window, rounded down to the hour or day."),
    ),
    createdUntil: Type.Optional(withDescription(Time, "End of the window, rounded up to the hour or day.")),
    currency: Type.Optional(Type.String({ pattern: forms.currency, description: "Only this currency." })),
    paymentMethodType: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Only payments with this payment method." }),
    ),
  }),
  response: Type.Object({
    span: OneOf(spans, "The time unit of each point."),
    startTime: withDescription(Time, "Start of the first point."),
    endTime: withDescription(Time, "End of the last point."),
    currency: Type.Optional(
      Type.String({
        pattern: forms.currency,
        description: "The currency of the chart; absent if there were no payments.",
      }),
    ),
    currencies: Type.Array(Type.String({ maxLength: 3 }), {
      description: "The currencies in this window, the most frequent first.",
    }),
    points: Type.Array(
      Type.Object(
        {
          time: withDescription(Time, "Start of the hour or day."),
          paymentCount: Count("Number of created payments."),
          successCount: Count("Number of paid payments."),
          failCount: Count("Number of failed payments."),
          cancelCount: Count("Number of cancelled payments."),
          paidAmount: Type.Optional(withDescription(Amount, "The paid amount; absent if nothing was paid.")),
        },
        { title: "ChartPoint", description: "Counts of an hour or a day." },
      ),
      { description: "One point for each hour or day, the oldest first." },
    ),
    reasons: Type.Array(
      Type.Object(
        {
          resultCode: Type.String({ maxLength: 64, description: "The result code." }),
          paymentCount: Count("Number of payments with this code."),
        },
        { title: "FailureReason", description: "A reason why payments were not paid." },
      ),
      { description: "The reasons, the most frequent first." },
    ),
    methods: Type.Array(
      Type.Object(
        {
          paymentMethodType: Type.String({ maxLength: 64, description: "The payment method." }),
          paymentCount: Count("Number of created payments."),
          successCount: Count("Number of paid payments."),
        },
        { title: "MethodCount", description: "Counts of a payment method." },
      ),
      { description: "All payment methods, the most frequent first." },
    ),
    pace: Type.Object(
      {
        paidCount: Count("Number of paid payments."),
        averageSeconds: Type.Optional(Count("Average time to pay, in seconds.")),
        within: Type.Array(
          Type.Object(
            {
              seconds: Count("Upper limit in seconds."),
              paymentCount: Count("Number of payments that were paid within that time."),
            },
            { title: "PaidWithin", description: "Number of payments that were paid within a time." },
          ),
          { description: "Each entry includes the entries before it." },
        ),
      },
      { title: "Pace", description: "The time from the API request until the payment was paid." },
    ),
    ageSeconds: SearchAge,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { createdFrom: "2026-11-14T00:00:00+00:00", createdUntil: "2026-11-14T02:00:00+00:00" },
    response: {
      span: "hour",
      startTime: "2026-11-14T00:00:00+00:00",
      endTime: "2026-11-14T02:00:00+00:00",
      currency: "EUR",
      currencies: ["EUR"],
      points: [
        {
          time: "2026-11-14T00:00:00+00:00",
          paymentCount: 3,
          successCount: 2,
          failCount: 1,
          cancelCount: 0,
          paidAmount: { currency: "EUR", value: "2500" },
        },
        { time: "2026-11-14T01:00:00+00:00", paymentCount: 0, successCount: 0, failCount: 0, cancelCount: 0 },
      ],
      reasons: [{ resultCode: "USER_BALANCE_NOT_ENOUGH", paymentCount: 1 }],
      methods: [{ paymentMethodType: "GCASH", paymentCount: 3, successCount: 2 }],
      pace: {
        paidCount: 2,
        averageSeconds: 9,
        within: [
          { seconds: 5, paymentCount: 0 },
          { seconds: 15, paymentCount: 2 },
          { seconds: 60, paymentCount: 2 },
          { seconds: 300, paymentCount: 2 },
        ],
      },
      ageSeconds: 1,
    },
  },

  async find(call, { createdFrom, createdUntil, currency: requestedCurrency, paymentMethodType }) {
    const asMs = (time: string | undefined) => (time === undefined ? undefined : parseRequestTime(time));
    const [fromMs, untilMs] = [asMs(createdFrom), asMs(createdUntil)];
    if (createdFrom !== undefined && fromMs === undefined)
      return refuse("PARAM_ILLEGAL", { field: "createdFrom", detail: timeInvalid });
    if (createdUntil !== undefined && untilMs === undefined)
      return refuse("PARAM_ILLEGAL", { field: "createdUntil", detail: timeInvalid });
    const window = chartWindow({ fromMs, untilMs }, call.now.getTime());
    if (!window) return refuse("PARAM_ILLEGAL", { field: "createdFrom", detail: windowInvalid });
    // The age is read before the tables, so that the tables are never older than the reported age.
    const ageMs = await findSearchAgeMs(call.tx);
    const currencies = await listCurrencies(call.tx, call, window);
    const currency = requestedCurrency ?? currencies[0];
    if (currency === undefined) return { ageMs, window, currencies, chart: undefined };
    const scope = { ...window, currency, paymentMethodType };
    const [points, reasons, methods, pace] = await Promise.all([
      listPoints(call.tx, call, scope),
      listReasons(call.tx, call, scope),
      listMethods(call.tx, call, scope),
      findTimeToPay(call.tx, call, scope),
    ]);
    return { ageMs, window, currencies, chart: { currency, points, reasons, methods, pace } };
  },

  answer({ ageMs, window, currencies, chart }: ChartView) {
    const { currency, points = [], reasons = [], methods = [], pace = noTimeToPay } = chart ?? {};
    return {
      code: "SUCCESS",
      span: window.span,
      startTime: toTime(window.from),
      endTime: toTime(window.until),
      ...(currency !== undefined && { currency }),
      currencies: [...currencies],
      points: fillMissingPoints(window, points).map(({ startsAt, paidMinor, ...counts }) => ({
        time: toTime(startsAt),
        ...counts,
        ...(currency !== undefined &&
          paidMinor > 0n && { paidAmount: { currency, value: paidMinor.toString() } }),
      })),
      reasons: reasons.map(({ name, paymentCount }) => ({ resultCode: name, paymentCount })),
      methods: methods.map(({ name, paymentCount, successCount }) => ({
        paymentMethodType: name,
        paymentCount,
        successCount,
      })),
      pace: {
        paidCount: pace.paidCount,
        ...(pace.paidCount > 0 && { averageSeconds: Math.round(pace.totalSeconds / pace.paidCount) }),
        within: pace.within.map((each) => ({ ...each })),
      },
      ageSeconds: Math.round(ageMs / 1000),
    };
  },
});

const timeInvalid = "The time is not valid.";
const windowInvalid = "createdFrom must be before createdUntil, by at most two years.";
const noTimeToPay: TimeToPay = { paidCount: 0, totalSeconds: 0, within: [] };
