import { Button, Stack, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { makePasskey } from "../session/passkey.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { fieldsOf } from "../components/fields-of.ts";

/** Asks for a name of the passkey, then the browser asks for a fingerprint, a face, a PIN or a security key. */
export function AddPasskey({ onDone }: { readonly onDone?: () => void }): ReactNode {
  const { t } = useTranslation();
  const add = useAct(
    async ({ name }: { readonly name: string }) => {
      const { options } = await ask("POST /accounts/passkeys/begin", {});
      await ask("POST /accounts/passkeys/add", { name, response: await makePasskey(options) });
    },
    () => onDone?.(),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(fieldsOf(event.currentTarget, ["name"]));
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
