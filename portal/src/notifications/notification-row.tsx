import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, type Place } from "../api/console.ts";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../shell/failure.tsx";
import { Moment } from "../shell/moment.tsx";

type Notification = Views["notifications"]["response"]["notifications"][number];

const tones: Readonly<
  Record<Notification["notificationStatus"], "happened" | "refused" | "unknown" | "quiet">
> = {
  DELIVERED: "happened",
  WAITING: "unknown",
  EXHAUSTED: "refused",
  UNSENT: "quiet",
};

interface Props {
  readonly place: Place;
  readonly notification: Notification;
}

/** What the merchant's system was told, what it said to it, and when it is told again. */
export function NotificationRow({ place, notification }: Props): ReactNode {
  const { t } = useTranslation();
  const may = useCan(place.environment)("notifications.resend");
  const { notificationId, notificationKind, notificationStatus: status, url } = notification;
  const { attempts, createdTime, nextAttemptTime } = notification;
  const resend = useAct(() => act(place, "resendNotifications", { notificationId }));
  const last = attempts.at(-1);
  return (
    <li className="row">
      <span className="row-sum">{t(`notificationKind.${notificationKind}`)}</span>
      <span className="status" data-tone={tones[status]}>
        {t(`notificationStatus.${status}`)}
      </span>
      <span className="row-what">
        {url ?? t("notifications.noAddress")}
        <small>
          <Moment at={createdTime} />
          {last && ` · ${t("notifications.lastAnswer", { status: last.httpStatus, ms: last.totalMs ?? 0 })}`}
          {last?.failure && ` · ${last.failure}`}
        </small>
        {nextAttemptTime && (
          <small>
            {t("notifications.next")} <Moment at={nextAttemptTime} />
          </small>
        )}
        <Failure error={resend.error} />
      </span>
      {url && (
        <Button
          variant="default"
          size="xs"
          disabled={!may}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {t("notifications.resend")}
        </Button>
      )}
    </li>
  );
}
