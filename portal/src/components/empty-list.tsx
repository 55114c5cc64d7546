import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { EmptyState } from "./empty-state.tsx";
import type { IconName } from "./icons.tsx";

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly lede: string;
  readonly isFiltered: boolean;
}

/** The empty state of a list: either the filter matches nothing, or there are no records yet. */
export function EmptyList({ icon, title, lede, isFiltered }: Props): ReactNode {
  return isFiltered ? <NoMatches /> : <EmptyState icon={icon} title={title} lede={lede} />;
}

export function NoMatches(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <EmptyState icon="search" title={t("lists.noneFitTitle")} lede={t("lists.noneFit")}>
      <Button variant="default" onClick={() => void navigate({ to: ".", search: {} })}>
        {t("lists.showAll")}
      </Button>
    </EmptyState>
  );
}
