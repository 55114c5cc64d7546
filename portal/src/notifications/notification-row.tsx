import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, type Place } from "../api/console.ts";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { NotificationStatus } from "./notification-status.tsx";

type Notification = Views["notifications"]["response"]["notifications"][number];

interface Props {
  readonly place: Place;
  readonly notification: Notification;
}

/** A webhook with the response of the merchant's system and the time of the next attempt. */
export function NotificationRow({ place, notification }: Props): ReactNode {
  const { t } = useTranslation();
  const { notificationId, notificationKind, url, attempts, createdTime, nextAttemptTime } = notification;
  const { environment } = place;
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
      {url && <ResendOne place={place} notificationId={notificationId} />}
    </li>
  );
}

export function ResendOne({
  place,
  notificationId,
}: {
  readonly place: Place;
  readonly notificationId: string;
}): ReactNode {
  const { t } = useTranslation();
  const may = useCan(place.environment)("notifications.resend");
  const resend = useAct(() => act(place, "resendNotifications", { notificationId }));
  return (
    <span>
      <Button
        variant="default"
        size="xs"
        disabled={!may}
        loading={resend.isPending}
        onClick={() => resend.mutate()}
      >
        {t("notifications.resend")}
      </Button>
      <Failure error={resend.error} />
    </span>
  );
}
