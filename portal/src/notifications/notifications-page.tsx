import { Button, Group, NativeSelect, Stack } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { NotificationsFilter } from "../search-params.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { Endpoints } from "./endpoints.tsx";
import { notificationKinds } from "./notification-kinds.ts";
import { NotificationRow } from "./notification-row.tsx";
import { notificationStatuses } from "./notification-status.tsx";
import { ResendFailed } from "./resend-failed.tsx";
import { SendTest } from "./send-test.tsx";

export function NotificationsPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/notifications" });
  return (
    <>
      <PageHead title={t("notifications.title")} lede={t("notifications.lede")} />
      <WithClient environment={environment}>
        {(scope) => (
          <Stack gap="xl" key={scope.clientId}>
            <Notifications scope={scope} />
            <Endpoints scope={scope} />
          </Stack>
        )}
      </WithClient>
    </>
  );
}

function Notifications({ scope }: { readonly scope: ClientScope }): ReactNode {
  const filter = useSearch({ from: "/shell/$environment/notifications" });
  const { notificationStatus, notificationKind } = filter;
  const pages = usePages(scope, "notifications", {
    ...(notificationStatus && { notificationStatus }),
    ...(notificationKind && { notificationKind }),
  });
  const notifications = pages.data?.pages.flatMap((page) => page.notifications) ?? [];
  return (
    <Stack>
      <Group align="flex-end" gap="sm">
        <Filter filter={filter} />
        <Group ml="auto" gap="xs">
          {scope.environment === "sandbox" && <SendTest scope={scope} />}
          <ResendFailed scope={scope} />
        </Group>
      </Group>
      <PagedList
        pages={pages}
        rows={notifications.map((each) => (
          <NotificationRow key={each.notificationId} scope={scope} notification={each} />
        ))}
        empty={<NoNotifications isFiltered={Boolean(notificationStatus ?? notificationKind)} />}
      />
    </Stack>
  );
}

function Filter({ filter }: { readonly filter: NotificationsFilter }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { notificationStatus = "", notificationKind = "" } = filter;
  const choose = (selection: NotificationsFilter): void =>
    void navigate({ to: ".", search: (before) => ({ ...before, ...selection }) });
  const anyOption = { value: "", label: t("notifications.any") };
  return (
    <>
      <NativeSelect
        label={t("notifications.status")}
        value={notificationStatus}
        onChange={({ currentTarget: { value } }) =>
          choose({ notificationStatus: notificationStatuses.find((each) => each === value) })
        }
        data={[
          anyOption,
          ...notificationStatuses.map((value) => ({ value, label: t(`notificationStatus.${value}`) })),
        ]}
      />
      <NativeSelect
        label={t("notifications.kind")}
        value={notificationKind}
        onChange={({ currentTarget: { value } }) =>
          choose({ notificationKind: notificationKinds.find((each) => each === value) })
        }
        data={[
          anyOption,
          ...notificationKinds.map((value) => ({ value, label: t(`notificationKind.${value}`) })),
        ]}
      />
    </>
  );
}

function NoNotifications({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  if (!isFiltered)
    return (
      <EmptyState icon="notifications" title={t("notifications.noneTitle")} lede={t("notifications.none")} />
    );
  return (
    <EmptyState icon="search" title={t("notifications.noneFitTitle")} lede={t("notifications.noneFit")}>
      <Button variant="default" onClick={() => void navigate({ to: ".", search: {} })}>
        {t("notifications.showAll")}
      </Button>
    </EmptyState>
  );
}
