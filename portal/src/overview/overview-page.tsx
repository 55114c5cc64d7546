import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { findGateway } from "../api/environments.ts";
import { WithClient } from "../clients/with-client.tsx";
import { findOrganisation, useCan, useMe } from "../session/me.ts";
import { Failure } from "../components/failure.tsx";
import { PageHead } from "../components/page-head.tsx";
import { LinkButton } from "../components/links.tsx";

/** The steps to a first payment; completed steps are checked. */
export function OverviewPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/" });
  const me = useMe();
  return (
    <>
      <PageHead title={t("overview.title", { name: findOrganisation(me)?.name ?? me.person.name })} />
      <WithClient environment={environment} evenClosed>
        {(scope, isOpen) => <FirstSteps scope={scope} isOpen={isOpen} />}
      </WithClient>
    </>
  );
}

function FirstSteps({ scope, isOpen }: { readonly scope: ClientScope; readonly isOpen: boolean }): ReactNode {
  const { t } = useTranslation();
  const can = useCan(scope.environment);
  const { environment } = scope;
  const keys = useQuery({
    queryKey: ["keys", scope],
    queryFn: () => queryView(scope, "keys", {}),
    enabled: isOpen && can("keys.read"),
  });
  const payments = useQuery({
    queryKey: ["first-payment", scope],
    queryFn: () => queryView(scope, "payments", { limit: 1 }),
    enabled: isOpen,
    refetchInterval: intervalWhileActive(5_000),
  });
  const error = payments.error ?? keys.error;
  if (error) return <Failure error={error} />;
  if (payments.isLoading || keys.isLoading) return <Skeleton height={240} />;
  const hasKey = keys.data?.keys.some(({ keyStatus }) => keyStatus === "LIVE") ?? false;
  const hasPaid = (payments.data?.payments.length ?? 0) > 0;
  const docs = `${findGateway(environment)?.url ?? ""}/docs/first-request`;
  return (
    <Stack>
      <Text c="dimmed">{t(hasKey && hasPaid ? "overview.allDone" : "overview.lede")}</Text>
      <ol className="steps">
        <Step isDone title={t("overview.client")} lede={t("overview.clientDone")} />
        <Step isDone={hasKey} title={t("overview.key")} lede={t("overview.keyLede")}>
          <LinkButton to="/$environment/keys" params={{ environment }} search variant="default" size="xs">
            {t("overview.toKeys")}
          </LinkButton>
        </Step>
        <Step isDone={hasPaid} title={t("overview.payment")} lede={t("overview.paymentLede")}>
          {hasPaid ? (
            <LinkButton
              to="/$environment/payments"
              params={{ environment }}
              search
              variant="default"
              size="xs"
            >
              {t("overview.toPayments")}
            </LinkButton>
          ) : (
            <Anchor href={docs} target="_blank" rel="noreferrer" size="sm">
              {t("overview.toDocs")}
            </Anchor>
          )}
        </Step>
      </ol>
    </Stack>
  );
}

interface StepProps {
  readonly isDone: boolean;
  readonly title: string;
  readonly lede: string;
  readonly children?: ReactNode;
}

function Step({ isDone, title, lede, children }: StepProps): ReactNode {
  const { t } = useTranslation();
  return (
    <li data-done={isDone}>
      <div>
        <Text fw={600}>
          {title}{" "}
          {isDone && (
            <span className="status" data-tone="happened">
              {t("overview.done")}
            </span>
          )}
        </Text>
        <Text c="dimmed" size="sm" mb="xs">
          {lede}
        </Text>
        {children}
      </div>
    </li>
  );
}
