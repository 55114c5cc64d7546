import { Button, Stack, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { createPasskey } from "../session/passkey.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";

/** Asks for a name of the passkey, then the browser asks for a fingerprint, a face, a PIN or a security key. */
export function AddPasskey({ onDone }: { readonly onDone?: () => void }): ReactNode {
  const { t } = useTranslation();
  const add = useAct(
    async ({ name }: { readonly name: string }) => {
      const { options } = await requestAccounts("POST /accounts/passkeys/begin", {});
      await requestAccounts("POST /accounts/passkeys/add", { name, response: await createPasskey(options) });
    },
    () => onDone?.(),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(readFields(event.currentTarget, ["name"]));
      }}
    >
      <Stack>
        <Failure error={add.error} />
        <TextInput
          name="name"
          label={t("passkeys.name")}
          description={t("passkeys.nameHint")}
          defaultValue={t("passkeys.nameUsual")}
          maxLength={100}
          required
        />
        <Button type="submit" loading={add.isPending}>
          {t("passkeys.add")}
        </Button>
      </Stack>
    </form>
  );
}
