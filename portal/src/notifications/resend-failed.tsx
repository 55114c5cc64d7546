import { Button, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, type ClientScope } from "../api/console-requests.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";

const reachMs = 7 * 86_400_000;
/** 100 pages are about ten thousand webhooks. For more, the person presses the button again. */
const pagesMax = 100;

/** Resends all unacknowledged webhooks, page by page. */
export function ResendFailed({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const isPermitted = useCan(scope.environment)("notifications.resend");
  const resend = useAct(() => resendAll(scope));
  return (
    <>
      {resend.data !== undefined && (
        <Text size="sm" role="status">
          {t("notifications.resent", { number: resend.data })}
        </Text>
      )}
      <Failure error={resend.error} />
      <Button
        variant="default"
        title={t("notifications.resendFailedMeans")}
        disabled={!isPermitted}
        loading={resend.isPending}
        onClick={() => resend.mutate()}
      >
        {t("notifications.resendFailed")}
      </Button>
    </>
  );
}

async function resendAll(scope: ClientScope): Promise<number> {
  // The window has no end, because test clocks can be ahead of the browser's clock.
  const createdFrom = `${new Date(Date.now() - reachMs).toISOString().slice(0, 19)}+00:00`;
  let after: string | undefined;
  let sent = 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const request = { createdFrom, ...(after && { after }) };
    const { notificationIds, hasMore } = await performAct(scope, "resendNotifications", request);
    sent += notificationIds.length;
    after = notificationIds.at(-1);
    if (!hasMore || after === undefined) break;
  }
  return sent;
}
