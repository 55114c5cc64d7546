import { Button, Skeleton, Stack } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Place } from "../api/console.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import { Empty } from "../shell/empty.tsx";
import { Failure } from "../shell/failure.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { NotificationRow } from "./notification-row.tsx";

export function NotificationsPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/notifications" });
  return (
    <>
      <PageHead title={t("notifications.title")} lede={t("notifications.lede")} />
      <WithClient environment={environment}>{(place) => <Notifications place={place} />}</WithClient>
    </>
  );
}

function Notifications({ place }: { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const pages = usePages(place, "notifications", {});
  const notifications = pages.data?.pages.flatMap((page) => page.notifications) ?? [];
  return (
    <Stack>
      <Failure error={pages.error} />
      {pages.isPending && <Skeleton height={180} />}
      {pages.isSuccess && notifications.length === 0 && (
        <Empty icon="notifications" title={t("notifications.noneTitle")} lede={t("notifications.none")} />
      )}
      {notifications.length > 0 && (
        <ul className="rows">
          {notifications.map((each) => (
            <NotificationRow key={each.notificationId} place={place} notification={each} />
          ))}
        </ul>
      )}
      {pages.hasNextPage && (
        <Button
          variant="default"
          onClick={() => void pages.fetchNextPage()}
          loading={pages.isFetchingNextPage}
        >
          {t("payments.older")}
        </Button>
      )}
    </Stack>
  );
}
