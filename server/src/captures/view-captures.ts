import { Type } from "typebox";
import { NextCursor, PageRequest, pageWindow } from "../contract/page-request.ts";
import {
  Amount,
  CaptureId,
  CaptureRequestId,
  withDescription,
  OneOf,
  PaymentId,
  Time,
  toTime,
} from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { toAmount } from "../core/money.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { isRefusal } from "../core/result.ts";
import { captureStatuses } from "./capture-status.schema.ts";
import { listNewestCaptures } from "./capture.sql.ts";
import type { Capture } from "./capture.ts";

export const viewCaptures = view({
  name: "captures",
  summary: "Lists captures, the newest first.",
  permission: "payments.read",

  request: Type.Object({
    ...PageRequest,
    captureStatus: Type.Optional(OneOf(captureStatuses, "Only captures with this status.")),
  }),
  response: Type.Object({
    captures: Type.Array(
      Type.Object(
        {
          captureId: CaptureId,
          captureRequestId: CaptureRequestId,
          paymentId: PaymentId,
          captureStatus: OneOf(captureStatuses, "The status of the capture."),
          captureResultCode: Type.String({ maxLength: 64, description: "The reason for the status." }),
          captureAmount: withDescription(Amount, "The captured amount."),
          isLastCapture: Type.Boolean({
            description: "Whether this was marked as the last capture of the payment.",
          }),
          createdTime: withDescription(Time, "When the capture was requested."),
          captureTime: Type.Optional(withDescription(Time, "When the capture succeeded or failed.")),
        },
        { title: "CaptureSummary", description: "A capture." },
      ),
      { description: "The captures, the newest first." },
    ),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { captureStatus: "SUCCESS" },
    response: {
      captures: [
        {
          captureId: "20261116080000456047603810046291375",
          captureRequestId: "order-1001-capture-1",
          paymentId: "20261115093000123047601530017744120",
          captureStatus: "SUCCESS",
          captureResultCode: "SUCCESS",
          captureAmount: { currency: "EUR", value: "1000" },
          isLastCapture: false,
          createdTime: "2026-11-16T08:00:00+00:00",
          captureTime: "2026-11-16T08:00:01+00:00",
        },
      ],
    },
  },

  async find(call, request) {
    const window = pageWindow(request);
    if (isRefusal(window)) return window;
    const captures = await listNewestCaptures(call.tx, call, { status: request.captureStatus }, window);
    return pageOf(captures, window, ({ captureId }) => captureId);
  },

  answer(page: Page<Capture>) {
    const captures = page.items.map((capture) => ({
      captureId: capture.captureId,
      captureRequestId: capture.captureRequestId,
      paymentId: capture.paymentId,
      captureStatus: capture.status,
      captureResultCode: capture.resultCode,
      captureAmount: toAmount(capture.amount),
      isLastCapture: capture.isLast,
      createdTime: toTime(capture.createdAt),
      ...(capture.finishedAt && { captureTime: toTime(capture.finishedAt) }),
    }));
    return { code: "SUCCESS", captures, ...toNextCursor(page) };
  },
});
