import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "../components/empty.tsx";
import { LinkButton } from "../components/links.tsx";

export function Nowhere(): ReactNode {
  const { t } = useTranslation();
  return (
    <Empty isAll icon="search" title={t("nowhere.title")} lede={t("nowhere.lede")}>
      <LinkButton to="/" variant="default">
        {t("nowhere.home")}
      </LinkButton>
    </Empty>
  );
}
