import { Button, Divider, Stack, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../session/me.ts";
import { AddPasskey } from "../security/add-passkey.tsx";
import { SetPassword } from "../security/set-password.tsx";
import { SignInGate } from "../shell/sign-in-gate.tsx";

/** The page on which a person with a verified address chooses a sign-in method. Email is never a sign-in method. */
export function SetUpPage(): ReactNode {
  const { t } = useTranslation();
  const { person } = useMe();
  const navigate = useNavigate();
  const [isByPassword, setByPassword] = useState(false);
  const enter = (): void => void navigate({ to: "/" });
  return (
    <SignInGate
      title={t("setUp.title", { name: person.name })}
      lede={t("setUp.lede", { email: person.email })}
    >
      {isByPassword ? (
        <SetPassword onDone={enter} />
      ) : (
        <Stack>
          <Text size="sm">{t("setUp.passkeyIs")}</Text>
          <AddPasskey onDone={enter} />
        </Stack>
      )}
      <Divider label={t("setUp.or")} />
      <Button variant="default" onClick={() => setByPassword(!isByPassword)} fullWidth>
        {isByPassword ? t("setUp.byPasskey") : t("setUp.byPassword")}
      </Button>
    </SignInGate>
  );
}
