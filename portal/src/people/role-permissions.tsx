import { SegmentedControl, Table, Text, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { permissions, permissionsOf, type Permission, type Role } from "../../../server/src/people/role.ts";
import type { Environment } from "../api/environments.ts";
import { useAssignableRoles } from "./assignable-roles.ts";

/** Permissions that at least one of these roles has. */
function listPermissions(roles: readonly Role[]): readonly Permission[] {
  return (Object.keys(permissions) as Permission[]).filter((permission) =>
    roles.some((role) => permissions[permission].sandbox.some((each) => each === role)),
  );
}

/** The table of roles and permissions, from the same source that the servers enforce. */
export function RolePermissions(): ReactNode {
  const { t } = useTranslation();
  const [environment, setEnvironment] = useState<Environment>("live");
  const { roles } = useAssignableRoles();
  const allowed = new Map(roles.map((role) => [role, permissionsOf(role, environment)]));
  return (
    <section aria-labelledby="what-roles-may">
      <Title order={2} size="h4" id="what-roles-may">
        {t("people.mayTitle")}
      </Title>
      <Text c="dimmed" mb="sm">
        {t("people.mayLede")}
      </Text>
      <SegmentedControl
        size="xs"
        mb="sm"
        value={environment}
        onChange={(value) => setEnvironment(value)}
        data={(["live", "sandbox"] as const).map((value) => ({ value, label: t(`environments.${value}`) }))}
      />
      <Table.ScrollContainer minWidth={680}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("people.permission")}</Table.Th>
              {roles.map((role) => (
                <Table.Th key={role} ta="center">
                  {t(`roles.${role}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {listPermissions(roles).map((permission) => (
              <Table.Tr key={permission}>
                <Table.Td>
                  {t(`permissions.${permission}` as "people.permission")}
                  {permissions[permission].stepUp && (
                    <small className="step-up-mark"> {t("people.stepUp")}</small>
                  )}
                </Table.Td>
                {roles.map((role) => (
                  <Table.Td
                    key={role}
                    ta="center"
                    aria-label={t(allowed.get(role)?.includes(permission) ? "people.yes" : "people.no")}
                  >
                    {allowed.get(role)?.includes(permission) ? "✓" : <span className="no">–</span>}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
