import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Brand } from "../shell/brand.tsx";
import { LanguageSwitch } from "../shell/language-switch.tsx";
import { useWords } from "./use-words.ts";

interface Props {
  readonly title: string;
  readonly lede: string;
  readonly children: ReactNode;
}

/** The frame of the console's pages for people who are not signed in yet. */
export function OperatorDoor({ title, lede, children }: Props): ReactNode {
  const { t } = useWords();
  return (
    <div className="door operator-door">
      <header className="door-bar">
        <span className="brand">
          <Brand />
          <span className="operator-tag">{t("brand")}</span>
        </span>
        <LanguageSwitch />
      </header>
      <main className="door-card">
        <Stack gap="lg">
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            <Text c="dimmed" mt="xs">
              {lede}
            </Text>
          </div>
          {children}
        </Stack>
      </main>
    </div>
  );
}
