import type { OracleInput, Finding } from "./finding.ts";
import { findInconsistentResponses, findLostRecords } from "./check-responses.ts";
import { findLedgerDifferences } from "./check-ledger.ts";
import { findUnexplainedEffects, findDuplicateEffects } from "./check-effects.ts";
import { findUnfinishedRecords, findMissingWebhooks, findProcessFailures } from "./check-completion.ts";
import { findLateFailures } from "./check-late-failures.ts";
import { findUnsentFailures, findPaymentsAfterRevocation } from "./check-provider-requests.ts";

/** Compares the responses and webhooks of merchants with the database and the providers' journals. */
export function checkInvariants(input: OracleInput): readonly Finding[] {
  return [
    ...findDuplicateEffects(input),
    ...findUnexplainedEffects(input),
    ...findLateFailures(input),
    ...findUnsentFailures(input),
    ...findPaymentsAfterRevocation(input),
    ...findLostRecords(input),
    ...findInconsistentResponses(input),
    ...findUnfinishedRecords(input),
    ...findMissingWebhooks(input),
    ...findLedgerDifferences(input),
    ...findProcessFailures(input),
  ];
}
