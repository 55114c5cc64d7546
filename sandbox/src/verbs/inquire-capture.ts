import { captureOnTheWire } from "../wallet/capture.ts";
import { isHidden, isReference, malformed, type Verb } from "./verb.ts";

/** Returns a capture if it exists. */
export const inquireCapture: Verb = {
  name: "inquire-capture",
  act(wallet, { captureReference }) {
    if (!isReference(captureReference)) return malformed("captureReference");
    const capture = wallet.projection.capture(captureReference);
    if (!capture || isHidden(wallet, "capture", captureReference)) return { code: "ORDER_NOT_EXIST" };
    return { code: "SUCCESS", fields: { capture: captureOnTheWire(capture) } };
  },
};
