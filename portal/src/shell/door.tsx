import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Announcement } from "./announcement.tsx";
import { Brand } from "./brand.tsx";
import { LanguageSwitch } from "./language-switch.tsx";
import { LinkAnchor } from "./links.tsx";

interface Props {
  readonly title: string;
  readonly lede?: ReactNode;
  readonly children?: ReactNode;
}

/** The frame of pages for people who are not signed in yet. */
export function Door({ title, lede, children }: Props): ReactNode {
  return (
    <div className="door">
      <header className="door-bar">
        <LinkAnchor to="/sign-in" className="brand">
          <Brand />
        </LinkAnchor>
        <LanguageSwitch />
      </header>
      <Announcement />
      <main className="door-card">
        <Stack gap="lg">
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            {lede && (
              <Text c="dimmed" mt="xs">
                {lede}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </main>
    </div>
  );
}
