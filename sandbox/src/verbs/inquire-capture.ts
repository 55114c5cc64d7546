import { captureOnTheWire } from "../wallet/capture.ts";
import { isHidden, isName, malformed, type Verb } from "./verb.ts";

/** Returns a capture if it exists. */
export const inquireCapture: Verb = {
  name: "inquire-capture",
  act(wallet, { captureReference }) {
    if (!isName(captureReference)) return malformed("captureReference");
    const done = wallet.book.capture(captureReference);
    if (!done || isHidden(wallet, "capture", captureReference)) return { code: "ORDER_NOT_EXIST" };
    return { code: "SUCCESS", fields: { capture: captureOnTheWire(done) } };
  },
};
