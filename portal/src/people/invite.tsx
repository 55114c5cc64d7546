import { Button, Radio, Stack, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Role } from "../../../server/src/people/role.ts";
import { ask } from "../api/accounts.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { fieldsOf } from "../components/fields-of.ts";
import { useOwnRoles } from "./own-roles.ts";

export function Invite({ onDone }: { readonly onDone: () => void }): ReactNode {
  const { t } = useTranslation();
  const { roles, usual } = useOwnRoles();
  const invite = useAct(
    (given: { readonly email: string; readonly role: Role }) => ask("POST /accounts/invitations", given),
    onDone,
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { email, role } = fieldsOf(event.currentTarget, ["email", "role"]);
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
        <Radio.Group name="role" label={t("people.role")} defaultValue={usual}>
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
