import { Alert } from "@mantine/core";
import { lazy, Suspense, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { askedIn } from "../api/second-person.ts";
import { isRefused, ownWords, wordOf, type Word } from "../api/refused.ts";

const AskSecondPerson = lazy(async () => ({
  default: (await import("../approvals/ask-second-person.tsx")).AskSecondPerson,
}));

/** Says why something did not work, where it was tried. Nothing while there is nothing to say. */
export function Failure({ error }: { readonly error: unknown }): ReactNode {
  const sentence = useSentence();
  if (!error) return undefined;
  const asked = askedIn(error);
  return (
    <Alert className="failure" data-open={isRefused(error) && error.isOpen} variant="light" role="alert">
      {sentence(error)}
      {asked && (
        <Suspense>
          <AskSecondPerson asked={asked} />
        </Suspense>
      )}
    </Alert>
  );
}

/** The server's own sentence in English, which may say more; in other languages the one for its word. */
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
