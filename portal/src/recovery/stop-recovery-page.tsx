import { Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { readLinkToken } from "../register/link-token.ts";
import { SignInGate } from "../shell/sign-in-gate.tsx";
import { Failure } from "../components/failure.tsx";

/**
 * The page that the link in a recovery email opens. The link can only stop the recovery. The page has a button, because
 * email scanners open links.
 */
export function StopRecoveryPage(): ReactNode {
  const { t } = useTranslation();
  const stop = useMutation({
    mutationFn: () => requestAccounts("POST /accounts/recoveries/cancel-by-link", { token: readLinkToken() }),
  });
  return (
    <SignInGate title={t("recovery.stopTitle")} lede={t("recovery.stopLede")}>
      <Failure error={stop.error} />
      {stop.isSuccess ? (
        <Text role="status">{t("recovery.stopped")}</Text>
      ) : (
        <Button color="red.9" onClick={() => stop.mutate()} loading={stop.isPending} fullWidth>
          {t("recovery.stop")}
        </Button>
      )}
    </SignInGate>
  );
}
