import { Stack } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Place } from "../api/console.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import { Empty } from "../shell/empty.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { PagesOf } from "../shell/pages-of.tsx";
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
      <PagesOf
        pages={pages}
        rows={notifications.map((each) => (
          <NotificationRow key={each.notificationId} place={place} notification={each} />
        ))}
        empty={
          <Empty icon="notifications" title={t("notifications.noneTitle")} lede={t("notifications.none")} />
        }
      />
    </Stack>
  );
}
