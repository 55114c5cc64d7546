import { Alert } from "@mantine/core";
import { lazy, Suspense, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findNeededApproval } from "../api/needed-approval.ts";
import { isRefusal, browserCodes, errorCodeOf, type ErrorCode } from "../api/refusal-error.ts";

const RequestApproval = lazy(async () => ({
  default: (await import("./request-approval.tsx")).RequestApproval,
}));

/** Shows the error of an action next to the action, or nothing if there is no error. */
export function Failure({ error }: { readonly error: unknown }): ReactNode {
  const sentence = useErrorMessage();
  if (!error) return undefined;
  const approval = findNeededApproval(error);
  return (
    <Alert className="failure" data-open={isRefusal(error) && error.isOpen} variant="light" role="alert">
      {sentence(error)}
      {approval && (
        <Suspense>
          <RequestApproval approval={approval} />
        </Suspense>
      )}
    </Alert>
  );
}

/** Returns the server's message in English, which can have more detail; in other languages the text for its code. */
function useErrorMessage(): (error: unknown) => string {
  const { t, i18n } = useTranslation();
  return (error) => {
    const code = errorCodeOf(error) ?? "FAULT";
    const isKnown = i18n.exists(`refusals.${code}`);
    const isBrowserCode = (browserCodes as readonly ErrorCode[]).includes(code);
    if (isRefusal(error) && !isBrowserCode && (i18n.language === "en" || !isKnown)) return error.message;
    return t(`refusals.${isKnown ? code : "FAULT"}` as "refusals.FAULT");
  };
}
