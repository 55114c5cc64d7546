import { Button, Radio, Stack, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Role } from "../../../server/src/people/role.ts";
import { requestAccounts } from "../api/request-accounts.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { useAssignableRoles } from "./assignable-roles.ts";

export function InviteForm({ onDone }: { readonly onDone: () => void }): ReactNode {
  const { t } = useTranslation();
  const { roles, defaultRole } = useAssignableRoles();
  const invite = useAct(
    (input: { readonly email: string; readonly role: Role }) =>
      requestAccounts("POST /accounts/invitations", input),
    onDone,
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { email, role } = readFields(event.currentTarget, ["email", "role"]);
        invite.mutate({ email, role: role as Role });
      }}
    >
      <Stack>
        <Failure error={invite.error} />
        <TextInput
          name="email"
          type="email"
          label={t("people.email")}
          maxLength={254}
          required
          data-autofocus
        />
        <Radio.Group name="role" label={t("people.role")} defaultValue={defaultRole}>
          <Stack gap="xs" mt="xs">
            {roles.map((role) => (
              <Radio
                key={role}
                value={role}
                label={t(`roles.${role}`)}
                description={t(`rolesMean.${role}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Button type="submit" loading={invite.isPending}>
          {t("people.send")}
        </Button>
      </Stack>
    </form>
  );
}
