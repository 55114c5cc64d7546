import { Type } from "typebox";
import type { Act } from "./acts.ts";
import { Text } from "../contract/schemas.ts";

const reasonLengthMax = 256;

/** The body of a request to run an act in the portal: the operation's request, and the person's reason. */
export function actRequest({ operation }: Act) {
  return Type.Object({
    reason: Type.Optional(Text(reasonLengthMax, "The reason, for the audit log.")),
    request: { ...operation.request, description: "The request, as merchants' systems send it." },
  });
}
