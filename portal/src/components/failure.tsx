import { Alert } from "@mantine/core";
import { lazy, Suspense, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { approvalRequestIn } from "../api/approval.ts";
import { isRefused, ownWords, wordOf, type Word } from "../api/refusal-error.ts";

const RequestApproval = lazy(async () => ({
  default: (await import("./request-approval.tsx")).RequestApproval,
}));

/** Shows the error of an action next to the action, or nothing if there is no error. */
export function Failure({ error }: { readonly error: unknown }): ReactNode {
  const sentence = useSentence();
  if (!error) return undefined;
  const asked = approvalRequestIn(error);
  return (
    <Alert className="failure" data-open={isRefused(error) && error.isOpen} variant="light" role="alert">
      {sentence(error)}
      {asked && (
        <Suspense>
          <RequestApproval asked={asked} />
        </Suspense>
      )}
    </Alert>
  );
}

/** Returns the server's message in English, which can have more detail; in other languages the text for its code. */
function useSentence(): (error: unknown) => string {
  const { t, i18n } = useTranslation();
  return (error) => {
    const word = wordOf(error) ?? "FAULT";
    const isKnown = i18n.exists(`refusals.${word}`);
    const isOwn = (ownWords as readonly Word[]).includes(word);
    if (isRefused(error) && !isOwn && (i18n.language === "en" || !isKnown)) return error.message;
    return t(`refusals.${isKnown ? word : "FAULT"}` as "refusals.FAULT");
  };
}
