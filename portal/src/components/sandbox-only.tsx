import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "./empty-state.tsx";
import { LinkButton } from "./links.tsx";

/** The page in live for a feature that exists only in the sandbox. */
export function SandboxOnly({ lede }: { readonly lede: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <EmptyState icon="security" title={t("try.onlySandboxTitle")} lede={lede}>
      <LinkButton to="/$environment" params={{ environment: "sandbox" }} variant="default">
        {t("try.toSandbox")}
      </LinkButton>
    </EmptyState>
  );
}
