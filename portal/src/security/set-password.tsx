import { Button, Code, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import encodeQr from "qr";
import { useMemo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";

/** A password is always combined with an authenticator app as the second factor. */
export function SetPassword({ onDone }: { readonly onDone: () => void }): ReactNode {
  const { t } = useTranslation();
  const begin = useAct((input: { readonly password: string }) =>
    requestAccounts("POST /accounts/password/begin", input),
  );
  if (begin.data) return <ConfirmCode {...begin.data} onDone={onDone} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        begin.mutate(readFields(event.currentTarget, ["password"]));
      }}
    >
      <Stack>
        <Failure error={begin.error} />
        <PasswordInput
          name="password"
          label={t("password.choose")}
          description={t("password.hint")}
          autoComplete="new-password"
          maxLength={256}
          required
        />
        <Button type="submit" loading={begin.isPending}>
          {t("password.next")}
        </Button>
      </Stack>
    </form>
  );
}

interface Secret {
  readonly secret: string;
  readonly uri: string;
}

function ConfirmCode({ secret, uri, onDone }: Secret & { readonly onDone: () => void }): ReactNode {
  const { t } = useTranslation();
  const picture = useMemo(() => `data:image/svg+xml,${encodeURIComponent(encodeQr(uri, "svg"))}`, [uri]);
  const confirm = useAct(
    (input: { readonly code: string }) => requestAccounts("POST /accounts/password/confirm", input),
    onDone,
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate(readFields(event.currentTarget, ["code"]));
      }}
    >
      <Stack>
        <Text size="sm">{t("password.scan")}</Text>
        <img className="qr" src={picture} alt={t("password.qr")} width={200} height={200} />
        <Text size="sm">
          {t("password.orType")} <Code>{secret}</Code>
        </Text>
        <Failure error={confirm.error} />
        <TextInput
          name="code"
          label={t("signIn.code")}
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9]{6}"
          required
          autoFocus
        />
        <Button type="submit" loading={confirm.isPending}>
          {t("password.confirm")}
        </Button>
      </Stack>
    </form>
  );
}
