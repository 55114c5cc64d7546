import { Button, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { Failure } from "../components/failure.tsx";
import { fieldsOf } from "../components/fields-of.ts";
import { useMe } from "../session/me.ts";
import { answerWithPasskey } from "../session/passkey.ts";

interface Props {
  readonly onProven: () => void;
  readonly onGivenUp: () => void;
}

/** Asks for the same sign-in method that the session used, so that re-authentication is not weaker than the sign-in. */
export function StepUpDialog({ onProven, onGivenUp }: Props): ReactNode {
  const { t } = useTranslation();
  const { method } = useMe();
  return (
    <Modal opened onClose={onGivenUp} title={t("stepUp.title")} centered>
      <Stack>
        <Text size="sm" c="dimmed">
          {t("stepUp.why")}
        </Text>
        {method === "passkey" && <ByPasskey onProven={onProven} />}
        {method === "password" && <ByPassword onProven={onProven} />}
        {method === "oidc" && <ByOidc />}
      </Stack>
    </Modal>
  );
}

function ByPasskey({ onProven }: Pick<Props, "onProven">): ReactNode {
  const { t } = useTranslation();
  const prove = useMutation({
    mutationFn: async () => {
      const { options } = await ask("POST /accounts/step-up/passkey/begin", {});
      await ask("POST /accounts/step-up/passkey", { response: await answerWithPasskey(options) });
    },
    onSuccess: onProven,
  });
  return (
    <>
      <Failure error={prove.error} />
      <Button onClick={() => prove.mutate()} loading={prove.isPending} data-autofocus>
        {t("stepUp.withPasskey")}
      </Button>
    </>
  );
}

/** Redirects to the identity provider. The person repeats the action afterwards. */
function ByOidc(): ReactNode {
  const { t } = useTranslation();
  const prove = useMutation({
    mutationFn: () => ask("POST /accounts/step-up/oidc", {}),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  });
  return (
    <>
      <Failure error={prove.error} />
      <Text size="sm">{t("stepUp.oidc")}</Text>
      <Button onClick={() => prove.mutate()} loading={prove.isPending} data-autofocus>
        {t("stepUp.withOidc")}
      </Button>
    </>
  );
}

function ByPassword({ onProven }: Pick<Props, "onProven">): ReactNode {
  const { t } = useTranslation();
  const prove = useMutation({
    mutationFn: (given: { readonly password: string; readonly code: string }) =>
      ask("POST /accounts/step-up/password", given),
    onSuccess: onProven,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        prove.mutate(fieldsOf(event.currentTarget, ["password", "code"]));
      }}
    >
      <Stack>
        <Failure error={prove.error} />
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
        <Button type="submit" loading={prove.isPending}>
          {t("stepUp.confirm")}
        </Button>
      </Stack>
    </form>
  );
}
