import { Button, Group, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { Section } from "../components/section.tsx";
import { isSupportUrl } from "./brand-draft.ts";

interface Props {
  readonly address: string;
  readonly environment: Environment;
  readonly onChange: (address: string) => void;
}

export function SupportField({ address, environment, onChange }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <Section title={t("brand.support")}>
      <Text size="sm" c="dimmed" mb="xs">
        {t("brand.supportLede")}
      </Text>
      <Group align="flex-start" gap="sm">
        <TextInput
          aria-label={t("brand.supportAddress")}
          inputMode="url"
          value={address}
          onChange={({ currentTarget: { value } }) => onChange(value.trim())}
          error={!isSupportUrl(address, environment) && t("brand.supportFault")}
          placeholder="https://shop.example/help"
          maxLength={2048}
          spellCheck={false}
          autoComplete="off"
          flex={1}
          miw="12rem"
        />
        {address !== "" && (
          <Button variant="subtle" aria-label={t("brand.removeSupport")} onClick={() => onChange("")}>
            {t("brand.remove")}
          </Button>
        )}
      </Group>
    </Section>
  );
}
