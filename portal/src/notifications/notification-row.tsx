import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, type ClientScope } from "../api/console-requests.ts";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { NotificationStatus } from "./notification-status.tsx";

type Notification = Views["notifications"]["response"]["notifications"][number];

interface Props {
  readonly scope: ClientScope;
  readonly notification: Notification;
}

/** A webhook with the response of the merchant's system and the time of the next attempt. */
export function NotificationRow({ scope, notification }: Props): ReactNode {
  const { t } = useTranslation();
  const { notificationId, notificationKind, url, attempts, createdTime, nextAttemptTime } = notification;
  const { environment } = scope;
  const last = attempts.at(-1);
  const answered =
    last &&
    t(last.httpStatus === 0 ? "notifications.noAnswer" : "notifications.lastAnswer", {
      status: last.httpStatus,
      ms: last.totalMs ?? 0,
    });
  return (
    <li className="row">
      <LinkAnchor
        className="row-sum"
        to="/$environment/notifications/$notificationId"
        params={{ environment, notificationId }}
      >
        {t(`notificationKind.${notificationKind}`)}
      </LinkAnchor>
      <NotificationStatus status={notification.notificationStatus} />
      <span className="row-what">
        {url ?? t("notifications.noAddress")}
        <small>
          <Moment at={createdTime} />
          {answered && ` · ${answered}`}
          {last?.failure && ` · ${last.failure}`}
        </small>
        {nextAttemptTime && (
          <small>
            {t("notifications.next")} <Moment at={nextAttemptTime} />
          </small>
        )}
      </span>
      {url && <ResendOne scope={scope} notificationId={notificationId} />}
    </li>
  );
}

export function ResendOne({
  scope,
  notificationId,
}: {
  readonly scope: ClientScope;
  readonly notificationId: string;
}): ReactNode {
  const { t } = useTranslation();
  const isPermitted = useCan(scope.environment)("notifications.resend");
  const resend = useAct(() => performAct(scope, "resendNotifications", { notificationId }));
  return (
    <span>
      <Button
        variant="default"
        size="xs"
        disabled={!isPermitted}
        loading={resend.isPending}
        onClick={() => resend.mutate()}
      >
        {t("notifications.resend")}
      </Button>
      <Failure error={resend.error} />
    </span>
  );
}
