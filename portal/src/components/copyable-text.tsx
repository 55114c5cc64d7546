import { Button, CopyButton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** A text with a copy button. */
export function CopyableText({ text }: { readonly text: string }): ReactNode {
  return (
    <>
      {text} <Copy text={text} />
    </>
  );
}

export function Copy({ text }: { readonly text: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button variant="subtle" size="compact-xs" onClick={copy}>
          {t(copied ? "copy.done" : "copy.do")}
        </Button>
      )}
    </CopyButton>
  );
}
