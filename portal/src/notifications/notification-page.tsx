import { Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { CopyableText } from "../components/copyable-text.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Attempts } from "./attempts.tsx";
import { ResendOne } from "./notification-row.tsx";
import { NotificationStatus } from "./notification-status.tsx";

type NotificationView = Views["notification"]["response"];
type Notification = NonNullable<NotificationView["notification"]>;

export function NotificationPage(): ReactNode {
  const { t } = useTranslation();
  const { environment, notificationId } = useParams({
    from: "/shell/$environment/notifications/$notificationId",
  });
  return (
    <>
      <LinkAnchor to="/$environment/notifications" params={{ environment }} size="sm">
        ← {t("notifications.title")}
      </LinkAnchor>
      <PageHead title={t("notifications.one")} lede={<span className="id">{notificationId}</span>} />
      <WithClient environment={environment}>
        {(scope) => <NotificationDetails scope={scope} notificationId={notificationId} />}
      </WithClient>
    </>
  );
}

function NotificationDetails({
  scope,
  notificationId,
}: {
  readonly scope: ClientScope;
  readonly notificationId: string;
}): ReactNode {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ["notification", scope, notificationId],
    queryFn: () => queryView(scope, "notification", { notificationId }),
    refetchInterval: intervalWhileActive(2_000),
  });
  if (query.error) return <Failure error={query.error} />;
  if (!query.data) return <Skeleton height={320} />;
  const { notification } = query.data;
  if (!notification)
    return (
      <EmptyState icon="notifications" title={t("notifications.goneTitle")} lede={t("notifications.gone")} />
    );
  return (
    <Stack gap="xl">
      <Summary scope={scope} notification={notification} />
      <section>
        <Title order={2} size="h4" mb="xs">
          {t("notifications.attempts")}
        </Title>
        <Attempts attempts={notification.attempts} />
      </section>
      <Body view={query.data} />
    </Stack>
  );
}

function Summary({
  scope,
  notification,
}: {
  readonly scope: ClientScope;
  readonly notification: Notification;
}): ReactNode {
  const { t } = useTranslation();
  const { notificationId, notificationKind, subjectId, url, createdTime, deliveredTime, nextAttemptTime } =
    notification;
  const facts = [
    ["to", url ?? t("notifications.noAddress")],
    [
      "about",
      <span key="about" className="id">
        {subjectId}
      </span>,
    ],
    ["happened", <Moment key="happened" at={createdTime} />],
    ["delivered", deliveredTime && <Moment key="delivered" at={deliveredTime} />],
    ["next", nextAttemptTime && <Moment key="next" at={nextAttemptTime} />],
  ] as const;
  return (
    <section>
      <Group align="center" gap="sm" mb="sm">
        <Text className="big-sum">{t(`notificationKind.${notificationKind}`)}</Text>
        <NotificationStatus status={notification.notificationStatus} />
        {url && (
          <Group ml="auto">
            <ResendOne scope={scope} notificationId={notificationId} />
          </Group>
        )}
      </Group>
      <dl className="facts">
        {facts.map(
          ([word, fact]) =>
            fact && (
              <div key={word}>
                <dt>{t(`notifications.${word}`)}</dt>
                <dd>{fact}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}

function Body({ view: { body, bodyBytes, bodySha256 } }: { readonly view: NotificationView }): ReactNode {
  const { t } = useTranslation();
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("notifications.body")}
      </Title>
      {body === undefined ? (
        <Text c="dimmed">{t("notifications.sealed")}</Text>
      ) : (
        <>
          <Text c="dimmed" mb="sm" maw="44rem">
            {t("notifications.bodyLede")}
          </Text>
          <Code block className="command">
            {body}
          </Code>
          <Text size="sm" mt="xs" className="id">
            {t("notifications.bytesOf", { bytes: bodyBytes })} · SHA-256{" "}
            <CopyableText text={bodySha256 ?? ""} />
          </Text>
        </>
      )}
    </section>
  );
}
