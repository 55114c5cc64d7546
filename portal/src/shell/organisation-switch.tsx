import { Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { clearTokens } from "../api/console-requests.ts";
import { findOrganisation, useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Icon } from "../components/icons.tsx";

/** Switches the organisation. All data is reloaded. */
export function OrganisationSwitch(): ReactNode {
  const { t } = useTranslation();
  const me = useMe();
  const current = findOrganisation(me);
  const choose = useAct(async (organisationId: string) => {
    await requestAccounts("POST /accounts/organisations/choose", { organisationId });
    clearTokens();
  });
  return (
    <Menu width={220} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className="organisation">
          <VisuallyHidden>{t("shell.chooseOrganisation")}</VisuallyHidden>
          <Icon name="organisation" size={20} />
          <span className="organisation-name">
            <Text size="sm" fw={600} truncate>
              {current?.name ?? t("shell.noOrganisation")}
            </Text>
            {current && (
              <Text size="xs" c="dimmed">
                {t(`roles.${current.role}`)}
              </Text>
            )}
          </span>
          <Icon name="choose" size={16} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("shell.organisations")}</Menu.Label>
        {me.organisations.map(({ organisationId, name, role }) => (
          <Menu.Item
            key={organisationId}
            onClick={() => choose.mutate(organisationId)}
            aria-current={organisationId === me.organisationId ? "true" : undefined}
            fw={organisationId === me.organisationId ? 600 : 400}
          >
            {name}
            <Text size="xs" c="dimmed">
              {t(`roles.${role}`)}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
