import { acceptDispute, defendDispute } from "./answer-dispute.ts";
import { authorize } from "./authorize.ts";
import { cancel } from "./cancel.ts";
import { capture } from "./capture.ts";
import { exchangeCode } from "./exchange-code.ts";
import { facts } from "./facts.ts";
import { inquireAuthorization } from "./inquire-authorization.ts";
import { inquireCapture } from "./inquire-capture.ts";
import { inquireDispute } from "./inquire-dispute.ts";
import { inquireRegistration } from "./inquire-registration.ts";
import { inquireRefund } from "./inquire-refund.ts";
import { inquire } from "./inquire.ts";
import { register } from "./register.ts";
import { refund } from "./refund.ts";
import { revoke } from "./revoke.ts";
import { submit } from "./submit.ts";
import type { Verb } from "./verb.ts";

/** All operations of the provider protocol. */
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
  authorize,
  inquireAuthorization,
  exchangeCode,
  revoke,
  acceptDispute,
  defendDispute,
  inquireDispute,
  facts,
];
