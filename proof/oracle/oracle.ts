import type { Case, Finding } from "./finding.ts";
import { answersAgree, nothingAcknowledgedIsLost } from "./judge-answers.ts";
import { booksBalance } from "./judge-ledger.ts";
import { effectsAreExplained, effectsHappenedOnce } from "./judge-effects.ts";
import { everythingIsFinal, webhooksWereDelivered, noProcessBroke } from "./judge-end.ts";
import { nothingFailedUnsent, nothingPaidAfterRevoke } from "./judge-sending.ts";

/** Compares the responses and webhooks of merchants with the database and the providers' journals. */
export function judge(given: Case): readonly Finding[] {
  return [
    ...effectsHappenedOnce(given),
    ...effectsAreExplained(given),
    ...nothingFailedUnsent(given),
    ...nothingPaidAfterRevoke(given),
    ...nothingAcknowledgedIsLost(given),
    ...answersAgree(given),
    ...everythingIsFinal(given),
    ...webhooksWereDelivered(given),
    ...booksBalance(given),
    ...noProcessBroke(given),
  ];
}
