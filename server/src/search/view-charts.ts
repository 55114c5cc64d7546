import { Type } from "typebox";
import { Amount, described, forms, OneOf, Time, toTime, type Meanings } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { refuse } from "../core/result.ts";
import { findPace, listCurrencies, listMethods, listPoints, listReasons } from "./payment-count.sql.ts";
import {
  chartWindow,
  everyPoint,
  type ChartPoint,
  type ChartWindow,
  type Counted,
  type Pace,
  type Span,
} from "./payment-count.ts";
import { SearchAge } from "./search-age.schema.ts";
import { findSearchAgeMs } from "./search.sql.ts";

const spans: Meanings<Span> = { hour: "One point for each hour.", day: "One point for each day, in UTC." };

const Count = (description: string) => Type.Integer({ minimum: 0, description });

interface Found {
  readonly ageMs: number;
  readonly window: ChartWindow;
  readonly currencies: readonly string[];
  readonly charted: Charted | undefined;
}

interface Charted {
  readonly currency: string;
  readonly points: readonly ChartPoint[];
  readonly reasons: readonly Counted[];
  readonly methods: readonly Counted[];
  readonly pace: Pace;
}

export const viewCharts = view({
  name: "charts",
  summary:
    "Sums up payments by hour or day: how many, how much, how many were paid, how quickly, and why not.",
  description:
    "By the time at which they were taken in, for one currency: unless it is named, the one with the most payments. Up to three days are told " +
    "by the hour, more by the day (UTC). Without a window of time, the last 30 days.",
  right: "payments.read",

  request: Type.Object({
    createdFrom: Type.Optional(described(Time, "From the hour or day of then on.")),
    createdUntil: Type.Optional(described(Time, "Up to the end of the hour or day before which this is.")),
    currency: Type.Optional(Type.String({ pattern: forms.currency, description: "Only this currency." })),
    paymentMethodType: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Only what is paid so." }),
    ),
  }),
  response: Type.Object({
    span: OneOf(spans, "How long each point is."),
    startTime: described(Time, "When the first point begins."),
    endTime: described(Time, "When the last point ends."),
    currency: Type.Optional(
      Type.String({
        pattern: forms.currency,
        description: "What all of it is about; absent when there was no payment.",
      }),
    ),
    currencies: Type.Array(Type.String({ maxLength: 3 }), {
      description: "The currencies of that time, the most frequent one first.",
    }),
    points: Type.Array(
      Type.Object(
        {
          time: described(Time, "When it begins."),
          paymentCount: Count("Payments that were taken in."),
          successCount: Count("Those of them that were paid."),
          failCount: Count("Those that failed."),
          cancelCount: Count("Those that were cancelled."),
          paidAmount: Type.Optional(described(Amount, "What was paid, if anything was.")),
        },
        { title: "ChartPoint", description: "An hour or a day." },
      ),
      { description: "One for each hour or day, the oldest first." },
    ),
    reasons: Type.Array(
      Type.Object(
        {
          resultCode: Type.String({ maxLength: 64, description: "Why they were not paid." }),
          paymentCount: Count("How many."),
        },
        { title: "FailureReason", description: "A reason for which payments were not paid." },
      ),
      { description: "The most frequent one first." },
    ),
    methods: Type.Array(
      Type.Object(
        {
          paymentMethodType: Type.String({ maxLength: 64, description: "How the buyer pays." }),
          paymentCount: Count("How many were taken in."),
          successCount: Count("How many were paid."),
        },
        { title: "MethodCount", description: "A way to pay." },
      ),
      { description: "Of all methods, the most frequent one first." },
    ),
    pace: Type.Object(
      {
        paidCount: Count("Payments that were paid."),
        averageSeconds: Type.Optional(Count("How long that took, on average.")),
        within: Type.Array(
          Type.Object(
            {
              seconds: Count("Up to so many seconds."),
              paymentCount: Count("How many were paid within that."),
            },
            { title: "PaidWithin", description: "How many were paid within a time." },
          ),
          { description: "Each includes those before it." },
        ),
      },
      { title: "Pace", description: "How long it took from the call until the payment was paid." },
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

  async find(call, { createdFrom, createdUntil, currency: asked, paymentMethodType }) {
    const asMs = (time: string | undefined) => (time === undefined ? undefined : parseRequestTime(time));
    const [fromMs, untilMs] = [asMs(createdFrom), asMs(createdUntil)];
    if (createdFrom !== undefined && fromMs === undefined)
      return refuse("PARAM_ILLEGAL", { field: "createdFrom", detail: noTime });
    if (createdUntil !== undefined && untilMs === undefined)
      return refuse("PARAM_ILLEGAL", { field: "createdUntil", detail: noTime });
    const window = chartWindow({ fromMs, untilMs }, call.now.getTime());
    if (!window) return refuse("PARAM_ILLEGAL", { field: "createdFrom", detail: noWindow });
    // Before the tables are read, so that they are never older than is said.
    const ageMs = await findSearchAgeMs(call.tx);
    const currencies = await listCurrencies(call.tx, call, window);
    const currency = asked ?? currencies[0];
    if (currency === undefined) return { ageMs, window, currencies, charted: undefined };
    const scope = { ...window, currency, paymentMethodType };
    const [points, reasons, methods, pace] = await Promise.all([
      listPoints(call.tx, call, scope),
      listReasons(call.tx, call, scope),
      listMethods(call.tx, call, scope),
      findPace(call.tx, call, scope),
    ]);
    return { ageMs, window, currencies, charted: { currency, points, reasons, methods, pace } };
  },

  answer({ ageMs, window, currencies, charted }: Found) {
    const { currency, points = [], reasons = [], methods = [], pace = noPace } = charted ?? {};
    return {
      code: "SUCCESS",
      span: window.span,
      startTime: toTime(window.from),
      endTime: toTime(window.until),
      ...(currency !== undefined && { currency }),
      currencies: [...currencies],
      points: everyPoint(window, points).map(({ startsAt, paidMinor, ...counts }) => ({
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

const noTime = "There is no such day or hour.";
const noWindow = "It has to be before the end, by two years at most.";
const noPace: Pace = { paidCount: 0, totalSeconds: 0, within: [] };
