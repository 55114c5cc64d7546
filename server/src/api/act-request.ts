import { Type } from "typebox";
import type { Act } from "./acts.ts";
import { Text } from "./schemas.ts";

const reasonLengthMax = 256;

/** The body of an act: the operation's own request, and why, in the person's words. */
export function actRequest({ operation }: Act) {
  return Type.Object({
    reason: Type.Optional(Text(reasonLengthMax, "Why you do it, for the audit log.")),
    request: { ...operation.request, description: "The request, as merchants' systems send it." },
  });
}
