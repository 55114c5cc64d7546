import { cancel } from "./cancel.ts";
import { capture } from "./capture.ts";
import { inquireCapture } from "./inquire-capture.ts";
import { inquireRegistration } from "./inquire-registration.ts";
import { inquireRefund } from "./inquire-refund.ts";
import { inquire } from "./inquire.ts";
import { register } from "./register.ts";
import { refund } from "./refund.ts";
import { submit } from "./submit.ts";
import type { Verb } from "./verb.ts";

/** The wallet protocol's table of contents. */
export const verbs: readonly Verb[] = [
  submit,
  inquire,
  cancel,
  capture,
  inquireCapture,
  refund,
  inquireRefund,
  register,
  inquireRegistration,
];
