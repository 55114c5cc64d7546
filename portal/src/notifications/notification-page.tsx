import { Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { whileActive } from "../api/idle-refresh.ts";
import { askView, type Place } from "../api/console.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { Copied } from "../components/copied.tsx";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Attempts } from "./attempts.tsx";
import { ResendOne } from "./notification-row.tsx";
import { NotificationStatus } from "./notification-status.tsx";

type Shown = Views["notification"]["response"];
type Notification = NonNullable<Shown["notification"]>;

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
        {(place) => <One place={place} notificationId={notificationId} />}
      </WithClient>
    </>
  );
}

function One({
  place,
  notificationId,
}: {
  readonly place: Place;
  readonly notificationId: string;
}): ReactNode {
  const { t } = useTranslation();
  const shown = useQuery({
    queryKey: ["notification", place, notificationId],
    queryFn: () => askView(place, "notification", { notificationId }),
    refetchInterval: whileActive(2_000),
  });
  if (shown.error) return <Failure error={shown.error} />;
  if (!shown.data) return <Skeleton height={320} />;
  const { notification } = shown.data;
  if (!notification)
    return <Empty icon="notifications" title={t("notifications.goneTitle")} lede={t("notifications.gone")} />;
  return (
    <Stack gap="xl">
      <Summary place={place} notification={notification} />
      <section>
        <Title order={2} size="h4" mb="xs">
          {t("notifications.attempts")}
        </Title>
        <Attempts attempts={notification.attempts} />
      </section>
      <Body shown={shown.data} />
    </Stack>
  );
}

function Summary({
  place,
  notification,
}: {
  readonly place: Place;
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
            <ResendOne place={place} notificationId={notificationId} />
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

function Body({ shown: { body, bodyBytes, bodySha256 } }: { readonly shown: Shown }): ReactNode {
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
            {t("notifications.bytesOf", { bytes: bodyBytes })} · SHA-256 <Copied text={bodySha256 ?? ""} />
          </Text>
        </>
      )}
    </section>
  );
}
