import { Button, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { useMe } from "../session/me.ts";
import { signWithPasskey } from "../session/passkey.ts";

interface Props {
  readonly onConfirmed: () => void;
  readonly onCancelled: () => void;
}

/** Asks for the same sign-in method that the session used, so that re-authentication is not weaker than the sign-in. */
export function StepUpDialog({ onConfirmed, onCancelled }: Props): ReactNode {
  const { t } = useTranslation();
  const { method } = useMe();
  return (
    <Modal opened onClose={onCancelled} title={t("stepUp.title")} centered>
      <Stack>
        <Text size="sm" c="dimmed">
          {t("stepUp.why")}
        </Text>
        {method === "passkey" && <ByPasskey onConfirmed={onConfirmed} />}
        {method === "password" && <ByPassword onConfirmed={onConfirmed} />}
        {method === "oidc" && <ByOidc />}
      </Stack>
    </Modal>
  );
}

function ByPasskey({ onConfirmed }: Pick<Props, "onConfirmed">): ReactNode {
  const { t } = useTranslation();
  const reauthenticate = useMutation({
    mutationFn: async () => {
      const { options } = await requestAccounts("POST /accounts/step-up/passkey/begin", {});
      await requestAccounts("POST /accounts/step-up/passkey", {
        response: await signWithPasskey(options),
      });
    },
    onSuccess: onConfirmed,
  });
  return (
    <>
      <Failure error={reauthenticate.error} />
      <Button onClick={() => reauthenticate.mutate()} loading={reauthenticate.isPending} data-autofocus>
        {t("stepUp.withPasskey")}
      </Button>
    </>
  );
}

/** Redirects to the identity provider. The person repeats the action afterwards. */
function ByOidc(): ReactNode {
  const { t } = useTranslation();
  const reauthenticate = useMutation({
    mutationFn: () => requestAccounts("POST /accounts/step-up/oidc", {}),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  });
  return (
    <>
      <Failure error={reauthenticate.error} />
      <Text size="sm">{t("stepUp.oidc")}</Text>
      <Button onClick={() => reauthenticate.mutate()} loading={reauthenticate.isPending} data-autofocus>
        {t("stepUp.withOidc")}
      </Button>
    </>
  );
}

function ByPassword({ onConfirmed }: Pick<Props, "onConfirmed">): ReactNode {
  const { t } = useTranslation();
  const reauthenticate = useMutation({
    mutationFn: (credentials: { readonly password: string; readonly code: string }) =>
      requestAccounts("POST /accounts/step-up/password", credentials),
    onSuccess: onConfirmed,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        reauthenticate.mutate(readFields(event.currentTarget, ["password", "code"]));
      }}
    >
      <Stack>
        <Failure error={reauthenticate.error} />
        <PasswordInput
          name="password"
          label={t("signIn.password")}
          autoComplete="current-password"
          required
          data-autofocus
        />
        <TextInput
          name="code"
          label={t("signIn.code")}
          description={t("stepUp.nextCode")}
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9]{6}"
          required
        />
        <Button type="submit" loading={reauthenticate.isPending}>
          {t("stepUp.confirm")}
        </Button>
      </Stack>
    </form>
  );
}
