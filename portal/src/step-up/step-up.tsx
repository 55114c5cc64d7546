import { lazy, Suspense, useState, type ReactNode } from "react";
import { forgetTokens } from "../api/console.ts";
import { wordOf } from "../api/refusal-error.ts";
import { StepUpContext } from "../session/step-up-context.ts";

const StepUpDialog = lazy(async () => ({ default: (await import("./step-up-dialog.tsx")).StepUpDialog }));

interface Asked {
  readonly prove: () => void;
  readonly giveUp: () => void;
}

/** `StepUp` shows the re-authentication dialog only when a server requires re-authentication. */
export function StepUp({ children }: { readonly children: ReactNode }): ReactNode {
  const [asked, setAsked] = useState<Asked>();

  async function attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      if (!isAskedFor(error)) throw error;
      await new Promise<void>((resolve, reject) => {
        setAsked({ prove: resolve, giveUp: () => reject(error) });
      });
      forgetTokens();
      return work();
    }
  }

  function close(outcome: keyof Asked): void {
    asked?.[outcome]();
    setAsked(undefined);
  }

  return (
    <StepUpContext value={attempt}>
      {children}
      {asked && (
        <Suspense>
          <StepUpDialog onProven={() => close("prove")} onGivenUp={() => close("giveUp")} />
        </Suspense>
      )}
    </StepUpContext>
  );
}

function isAskedFor(error: unknown): boolean {
  const word = wordOf(error);
  return word === "STEP_UP_NEEDED" || word === "STEP_UP_REQUIRED";
}
