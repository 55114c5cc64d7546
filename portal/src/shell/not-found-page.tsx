import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "../components/empty-state.tsx";
import { LinkButton } from "../components/links.tsx";

export function NotFoundPage(): ReactNode {
  const { t } = useTranslation();
  return (
    <EmptyState isAll icon="search" title={t("nowhere.title")} lede={t("nowhere.lede")}>
      <LinkButton to="/" variant="default">
        {t("nowhere.home")}
      </LinkButton>
    </EmptyState>
  );
}
