import { Button, Kbd, Text, VisuallyHidden } from "@mantine/core";
import { spotlight } from "@mantine/spotlight";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../components/icons.tsx";

/** A button that opens the command palette. */
export function SearchButton(): ReactNode {
  const { t } = useTranslation();
  return (
    <Button variant="default" size="xs" px="sm" onClick={spotlight.open} className="search">
      <Icon name="search" size={16} />
      <Text span size="sm" c="dimmed" visibleFrom="md" mx="xs">
        {t("palette.open")}
      </Text>
      <VisuallyHidden hiddenFrom="md">{t("palette.open")}</VisuallyHidden>
      <Kbd size="xs" visibleFrom="md">
        Ctrl K
      </Kbd>
    </Button>
  );
}
