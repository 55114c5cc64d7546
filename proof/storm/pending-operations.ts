import type { ProviderProcess } from "../installation/provider-process.ts";
import type { PendingOperation } from "../oracle/journal-operations.ts";
import { readProviderJournal } from "../oracle/provider-journal.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";

/**
 * Ends the captures, refunds and cancels that have no end at their provider. Some fail. The others end by themselves
 * within seconds.
 */
export async function endPendingOperations(
  providers: readonly ProviderProcess[],
  random: Random,
): Promise<void> {
  const endings = providers.flatMap((provider) =>
    [...readProviderJournal(provider.effects()).pending]
      .filter(([, { isEndless }]) => isEndless)
      .map(([reference, operation]) => {
        const path = endPath(reference, operation, random.chance(0.4) ? "fail" : "finish");
        // The error is ignored, because the next call repeats it.
        return provider.control("POST", path).catch(() => undefined);
      }),
  );
  await Promise.all(endings);
}

function endPath(
  reference: string,
  { kind, paymentId }: PendingOperation,
  ending: "finish" | "fail",
): string {
  return kind === "cancel"
    ? `/control/payments/${paymentId}/${ending}-cancel`
    : `/control/${kind}s/${reference}/${ending}`;
}
