import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** The age of the data in a list or chart. */
export function Age({ seconds }: { readonly seconds: number | undefined }): ReactNode {
  const { t } = useTranslation();
  if (seconds === undefined) return undefined;
  return (
    <Text size="sm" c="dimmed" title={t("search.ageMeans")}>
      {t("search.age", { seconds })}
    </Text>
  );
}
