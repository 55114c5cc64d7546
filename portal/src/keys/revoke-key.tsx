import { Button, Checkbox, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, type Place } from "../api/console.ts";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { fieldsOf } from "../components/fields-of.ts";

export type ShownKey = Views["keys"]["response"]["keys"][number];

interface Props {
  readonly place: Place;
  readonly shown: ShownKey;
}

export function RevokeKey({ place, shown }: Props): ReactNode {
  const { t } = useTranslation();
  const [isAsking, { open, close }] = useDisclosure();
  const may = useCan(place.environment)("keys.change");
  const name = t("keys.revokeNamed", { version: shown.keyVersion });
  return (
    <>
      <Button variant="default" size="xs" onClick={open} disabled={!may} aria-label={name}>
        {t("keys.revoke")}
      </Button>
      <Modal opened={isAsking} onClose={close} title={name} centered>
        <RevokeForm place={place} shown={shown} onDone={close} />
      </Modal>
    </>
  );
}

/** A key in use may have leaked, so it can be revoked too, after the person has confirmed the consequences. */
function RevokeForm({ place, shown, onDone }: Props & { readonly onDone: () => void }): ReactNode {
  const { t } = useTranslation();
  const { keyVersion, isSafeToRevoke, reason: why } = shown;
  const revoke = useAct((reason: string) => act(place, "revokeKey", { keyVersion }, reason), onDone);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        revoke.mutate(fieldsOf(event.currentTarget, ["reason"]).reason);
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
