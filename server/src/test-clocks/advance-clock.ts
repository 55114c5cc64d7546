import { Type } from "typebox";
import { action } from "../contract/operation.ts";
import { withDescription, Id, Time, toTime } from "../contract/schemas.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { refuse } from "../core/result.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import { describeJob } from "../open-records/open-record.ts";
import { findAdvance, findAdvanceById, insertAdvance } from "./clock-advance.sql.ts";
import type { ClockAdvance } from "./clock-advance.ts";

const advanceMaxMs = 400 * 24 * 3_600_000;
const comparedFields = ["toTime", "bySeconds"];
const advanceRule =
  "Give toTime or bySeconds; the clock only moves forward, and at most 400 days per request.";

const TurnRequestId = withDescription(Id, "Your own id of this turn; never reuse it for another one.");

export const advanceClock = action({
  path: "tollgate/advanceClock",
  summary: "Advances your test clock in the sandbox, and returns the actions that became due, in order.",
  description:
    "Each due action happens at its own time: the clock stops there until the action has completed. So a " +
    "week of retries, an expiry or the release of an authorization hold takes a moment. Signatures and " +
    "`request-time` always use the real clock. `U` means that the clock is still moving: repeat the " +
    "request.",

  request: Type.Object({
    turnRequestId: TurnRequestId,
    toTime: Type.Optional(withDescription(Time, "The target time of your clock; ISO 8601 with an offset.")),
    bySeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: advanceMaxMs / 1000,
        description: "Seconds by which to advance your clock.",
      }),
    ),
  }),
  response: Type.Object({
    turnRequestId: TurnRequestId,
    fromTime: withDescription(Time, "The time of your clock before the turn."),
    toTime: withDescription(Time, "The time of your clock after the turn."),
    fired: Type.Array(
      Type.Object(
        {
          time: withDescription(Time, "When the action happened, on your clock."),
          id: withDescription(Id, "The id of the record."),
          action: Type.String({ maxLength: 256, description: "The action." }),
        },
        { title: "FiredAction", description: "An action that became due during the turn." },
      ),
      { description: "The actions that became due, in order." },
    ),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "REPEAT_REQ_INCONSISTENT", "UNKNOWN_EXCEPTION"],
  inStore: true,
  idempotency: { keyField: "turnRequestId", comparedFields },
  waitsForProvider: true,

  example: {
    request: { turnRequestId: "retries-1", bySeconds: 120 },
    response: {
      turnRequestId: "retries-1",
      fromTime: "2026-11-15T09:31:05+00:00",
      toTime: "2026-11-15T09:33:05+00:00",
      fired: [
        {
          time: "2026-11-15T09:33:04+00:00",
          id: "20261115093104377047608530017744120",
          action: "Send the webhook.",
        },
      ],
    },
  },
  moreExamples: [
    {
      title: "To a time: a week later, when authorization holds are released",
      request: { turnRequestId: "week-1", toTime: "2026-11-22T09:31:05+00:00" },
      response: {
        turnRequestId: "week-1",
        fromTime: "2026-11-15T09:31:05+00:00",
        toTime: "2026-11-22T09:31:05+00:00",
        fired: [],
      },
    },
  ],

  async claim(call, request) {
    if (call.environment !== "sandbox") return refuse("ACCESS_DENIED");
    const { turnRequestId } = request;
    const { tx, bucket, clientId, now } = call;
    const fingerprint = call.fingerprint(request, comparedFields);
    const existing = await findAdvance(tx, call, turnRequestId);
    if (existing) {
      const isSame = Buffer.compare(existing.fingerprint, fingerprint) === 0;
      return isSame ? { record: existing } : refuse("REPEAT_REQ_INCONSISTENT");
    }
    const to = targetTime(request, now);
    if (!to) return refuse("PARAM_ILLEGAL", { detail: advanceRule });
    const advance: ClockAdvance = {
      bucket,
      clientId,
      advanceId: call.newId("clockTurn"),
      turnRequestId,
      fingerprint,
      from: now,
      to,
      isDone: false,
      fired: [],
    };
    // Race: a concurrent request with the same id was first. A retry finds its record.
    if (!(await insertAdvance(tx, advance))) return refuse("UNKNOWN_EXCEPTION");
    const leased = await insertLeasedJob(tx, {
      bucket,
      clientId,
      subjectId: advance.advanceId,
      job: "turn-clock",
    });
    return { record: advance, leasedJob: { ...leased, record: advance } };
  },

  async read(call, { advanceId, ...turn }) {
    return (await findAdvanceById(call.tx, call, advanceId)) ?? { ...turn, advanceId };
  },

  answer({ turnRequestId, from, to, isDone, fired }: ClockAdvance) {
    return {
      code: isDone ? "SUCCESS" : "UNKNOWN_EXCEPTION",
      turnRequestId,
      fromTime: toTime(from),
      toTime: toTime(to),
      fired: fired.map(({ at, job, subjectId }) => ({
        time: toTime(at),
        id: subjectId,
        action: describeJob(job),
      })),
    };
  },
});

function targetTime(
  { toTime: requestedTime, bySeconds }: { readonly toTime?: string; readonly bySeconds?: number },
  now: Date,
): Date | undefined {
  if ((requestedTime === undefined) === (bySeconds === undefined)) return undefined;
  const toMs =
    requestedTime === undefined ? now.getTime() + (bySeconds ?? 0) * 1000 : parseRequestTime(requestedTime);
  if (toMs === undefined || toMs < now.getTime() || toMs > now.getTime() + advanceMaxMs) return undefined;
  return new Date(toMs);
}
