import { Button, Checkbox, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, type ClientScope } from "../api/console-requests.ts";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";

export type MerchantKey = Views["keys"]["response"]["keys"][number];

interface Props {
  readonly scope: ClientScope;
  readonly merchantKey: MerchantKey;
}

export function RevokeKey({ scope, merchantKey }: Props): ReactNode {
  const { t } = useTranslation();
  const [isDialogOpen, { open, close }] = useDisclosure();
  const isPermitted = useCan(scope.environment)("keys.change");
  const name = t("keys.revokeNamed", { version: merchantKey.keyVersion });
  return (
    <>
      <Button variant="default" size="xs" onClick={open} disabled={!isPermitted} aria-label={name}>
        {t("keys.revoke")}
      </Button>
      <Modal opened={isDialogOpen} onClose={close} title={name} centered>
        <RevokeForm scope={scope} merchantKey={merchantKey} onDone={close} />
      </Modal>
    </>
  );
}

/** A key in use may have leaked, so it can be revoked too, after the person has confirmed the consequences. */
function RevokeForm({ scope, merchantKey, onDone }: Props & { readonly onDone: () => void }): ReactNode {
  const { t } = useTranslation();
  const { keyVersion, isSafeToRevoke, reason: why } = merchantKey;
  const revoke = useAct((reason: string) => performAct(scope, "revokeKey", { keyVersion }, reason), onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        revoke.mutate(readFields(event.currentTarget, ["reason"]).reason);
      }}
    >
      <Stack>
        <Text>{t("keys.revokeMeans")}</Text>
        <Text size="sm" c="dimmed">
          {why}
        </Text>
        <Failure error={revoke.error} />
        <TextInput
          name="reason"
          label={t("keys.why")}
          description={t("keys.whyHint")}
          maxLength={256}
          required
          data-autofocus
        />
        {!isSafeToRevoke && <Checkbox label={t("keys.revokeAnyway")} required />}
        <Button type="submit" color="red.9" loading={revoke.isPending}>
          {t("keys.revokeNamed", { version: keyVersion })}
        </Button>
      </Stack>
    </form>
  );
}
