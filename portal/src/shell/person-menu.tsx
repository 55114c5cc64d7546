import { ActionIcon, Menu, Text, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { languages, type Language } from "../languages/catalogues.ts";
import { switchLanguage } from "../languages/language.ts";
import { useMe } from "../session/me.ts";
import { useSignOut } from "../session/use-sign-out.ts";
import { Icon } from "../components/icons.tsx";

export function PersonMenu(): ReactNode {
  const { t, i18n } = useTranslation();
  const { person } = useMe();
  const signOut = useSignOut();
  const scheme = useColourSchemeToggle();
  return (
    <Menu width={240} position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size="lg"
          radius="xl"
          aria-label={t("shell.you", { name: person.name })}
        >
          <Icon name="person" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} truncate>
            {person.name}
          </Text>
          <Text size="xs" truncate>
            {person.email}
          </Text>
        </Menu.Label>
        <Menu.Item component={Link} to="/security" leftSection={<Icon name="security" />}>
          {t("places.security")}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name={scheme.opposite} />} onClick={scheme.change}>
          {t(`shell.${scheme.opposite}`)}
        </Menu.Item>
        {(Object.keys(languages) as Language[])
          .filter((language) => language !== i18n.language)
          .map((language) => (
            <Menu.Item
              key={language}
              lang={language}
              leftSection={<Icon name="language" />}
              onClick={() => void switchLanguage(i18n, language)}
            >
              {languages[language]}
            </Menu.Item>
          ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="leave" />} onClick={signOut}>
          {t("shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function useColourSchemeToggle(): {
  readonly opposite: "light" | "dark";
  readonly change: () => void;
} {
  const current = useComputedColorScheme("light");
  const { setColorScheme } = useMantineColorScheme();
  const opposite = current === "light" ? "dark" : "light";
  return { opposite, change: () => setColorScheme(opposite) };
}
