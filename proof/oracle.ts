import type { Case, Finding } from "./finding.ts";
import { answersAgree, nothingAcknowledgedIsLost } from "./judge-answers.ts";
import { booksBalance } from "./judge-books.ts";
import { effectsAreExplained, effectsHappenedOnce } from "./judge-effects.ts";
import { everythingIsFinal, merchantsWereTold, processesHeld } from "./judge-end.ts";
import { nothingFailedUnsent, nothingPaidAfterRevoke } from "./judge-sending.ts";

/** Compares what merchants were told, what the database holds and what the wallets' logs say. */
export function judge(given: Case): readonly Finding[] {
  return [
    ...effectsHappenedOnce(given),
    ...effectsAreExplained(given),
    ...nothingFailedUnsent(given),
    ...nothingPaidAfterRevoke(given),
    ...nothingAcknowledgedIsLost(given),
    ...answersAgree(given),
    ...everythingIsFinal(given),
    ...merchantsWereTold(given),
    ...booksBalance(given),
    ...processesHeld(given),
  ];
}
