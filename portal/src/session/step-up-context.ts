import { createContext, use } from "react";

/** Runs a request. If a server requires re-authentication, it shows the dialog and repeats the request. */
type Attempt = <Value>(work: () => Promise<Value>) => Promise<Value>;

/**
 * The provider component is `StepUp`. It is in another file, because its dialog shows components that call `useAct`.
 */
export const StepUpContext = createContext<Attempt>((work) => work());

export function useStepUp(): Attempt {
  return use(StepUpContext);
}
