import { Group, Stack, Text, TextInput } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { ReportButton } from "../export/report-button.tsx";
import { Section } from "../components/section.tsx";

/** The download of a transaction report for a range of days. The default is yesterday. */
export function Reports({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const [fromDay, setFromDay] = useState(yesterday);
  const [toDay, setToDay] = useState(yesterday);
  return (
    <Section title={t("lists.settlement.reports")}>
      <Stack>
        <Text c="dimmed" size="sm">
          {t("lists.settlement.reportsLede")}
        </Text>
        <Group align="end" gap="sm">
          <TextInput
            type="date"
            label={t("lists.settlement.fromDay")}
            value={fromDay}
            onChange={({ currentTarget }) => setFromDay(currentTarget.value)}
          />
          <TextInput
            type="date"
            label={t("lists.settlement.toDay")}
            value={toDay}
            onChange={({ currentTarget }) => setToDay(currentTarget.value)}
          />
          <ReportButton
            scope={scope}
            request={{ report: "TRANSACTION_DETAIL", fromDay, toDay }}
            label={t("lists.settlement.transactions")}
          />
        </Group>
      </Stack>
    </Section>
  );
}

/** Yesterday as a book day. Book days end at midnight UTC+8. */
function yesterday(): string {
  return new Date(Date.now() - 16 * 3600 * 1000).toISOString().slice(0, 10);
}
