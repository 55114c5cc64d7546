import { Type, type Static } from "typebox";
import { described, Id, Time, toTime } from "../api/schemas.ts";
import type { RememberedRequest } from "./remembered-request.ts";

export const RememberedRequestForm = Type.Object(
  {
    requestId: described(Id, "Our name for the call; tell it to the provider when you ask about one."),
    createdTime: described(Time, "When it came in."),
    path: Type.String({ maxLength: 2048, description: "What was called.", "x-address": true }),
    keyVersion: Type.Integer({ minimum: 0, description: "Of your key that signed it." }),
    resultCode: Type.String({ maxLength: 64, description: "What it was answered with." }),
    durationMs: Type.Integer({ minimum: 0, description: "How long it took us." }),
  },
  { title: "RememberedRequest" },
);

export function toRemembered(remembered: RememberedRequest): Static<typeof RememberedRequestForm> {
  const { at, durationUs, requestId, path, keyVersion, resultCode } = remembered;
  return {
    requestId,
    createdTime: toTime(at),
    path,
    keyVersion,
    resultCode,
    durationMs: Math.round(durationUs / 1000),
  };
}
