import { lazy, Suspense, useState, type ReactNode } from "react";
import { clearTokens } from "../api/console-requests.ts";
import { errorCodeOf } from "../api/refusal-error.ts";
import { StepUpContext } from "../session/step-up-context.ts";

const StepUpDialog = lazy(async () => ({ default: (await import("./step-up-dialog.tsx")).StepUpDialog }));

interface PendingReauthentication {
  readonly confirm: () => void;
  readonly cancel: () => void;
}

/** `StepUp` shows the re-authentication dialog only when a server requires re-authentication. */
export function StepUp({ children }: { readonly children: ReactNode }): ReactNode {
  const [pending, setPending] = useState<PendingReauthentication>();

  async function attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      if (!isReauthenticationNeeded(error)) throw error;
      await new Promise<void>((resolve, reject) => {
        setPending({ confirm: resolve, cancel: () => reject(error) });
      });
      clearTokens();
      return work();
    }
  }

  function close(outcome: keyof PendingReauthentication): void {
    pending?.[outcome]();
    setPending(undefined);
  }

  return (
    <StepUpContext value={attempt}>
      {children}
      {pending && (
        <Suspense>
          <StepUpDialog onConfirmed={() => close("confirm")} onCancelled={() => close("cancel")} />
        </Suspense>
      )}
    </StepUpContext>
  );
}

function isReauthenticationNeeded(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === "STEP_UP_NEEDED" || code === "STEP_UP_REQUIRED";
}
