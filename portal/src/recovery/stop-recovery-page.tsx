import { Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { linkToken } from "../register/link-token.ts";
import { Door } from "../shell/door.tsx";
import { Failure } from "../shell/failure.tsx";

/** By the link of a letter, which can stop and nothing else. By a button: programs look at links in letters. */
export function StopRecoveryPage(): ReactNode {
  const { t } = useTranslation();
  const stop = useMutation({
    mutationFn: () => ask("POST /accounts/recoveries/cancel-by-link", { token: linkToken() }),
  });
  return (
    <Door title={t("recovery.stopTitle")} lede={t("recovery.stopLede")}>
      <Failure error={stop.error} />
      {stop.isSuccess ? (
        <Text role="status">{t("recovery.stopped")}</Text>
      ) : (
        <Button color="red.9" onClick={() => stop.mutate()} loading={stop.isPending} fullWidth>
          {t("recovery.stop")}
        </Button>
      )}
    </Door>
  );
}
