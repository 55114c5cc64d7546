import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { WithClient } from "../clients/with-client.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { GatewayKeys } from "./gateway-keys.tsx";
import { NewKey } from "./new-key.tsx";
import { RevokeKey, type MerchantKey } from "./revoke-key.tsx";

export function KeysPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/keys" });
  return (
    <>
      <PageHead title={t("keys.title")} lede={t("keys.lede")} />
      <WithClient environment={environment} evenClosed>
        {(scope, isOpen) => (
          <Stack gap="xl" key={scope.clientId}>
            {isOpen ? <Keys scope={scope} /> : <NoKey />}
            <NewKey scope={scope} isOpen={isOpen} />
          </Stack>
        )}
      </WithClient>
    </>
  );
}

function NoKey(): ReactNode {
  const { t } = useTranslation();
  return <EmptyState icon="keys" title={t("keys.noneTitle")} lede={t("keys.none")} />;
}

function Keys({ scope }: { readonly scope: ClientScope }): ReactNode {
  const report = useQuery({
    queryKey: ["keys", scope],
    queryFn: () => queryView(scope, "keys", {}),
    refetchInterval: intervalWhileActive(10_000),
  });
  if (report.error) return <Failure error={report.error} />;
  if (!report.data) return <Skeleton height={120} />;
  const { keys, gatewayKeys } = report.data;
  return (
    <>
      {keys.length === 0 && <NoKey />}
      {keys.length > 0 && (
        <ul className="rows">
          {keys.map((key) => (
            <KeyRow key={key.keyVersion} scope={scope} merchantKey={key} />
          ))}
        </ul>
      )}
      <GatewayKeys keys={gatewayKeys} />
    </>
  );
}

function KeyRow({
  scope,
  merchantKey,
}: {
  readonly scope: ClientScope;
  readonly merchantKey: MerchantKey;
}): ReactNode {
  const { t } = useTranslation();
  const { keyVersion, keyStatus, requests, lastUsedTime, isSafeToRevoke, reason } = merchantKey;
  const isRevoked = keyStatus === "REVOKED";
  const keyUse = isRevoked ? "revoked" : isSafeToRevoke ? "safe" : lastUsedTime ? "needed" : "neverUsed";
  return (
    <li className="row">
      <span className="row-sum">{t("keys.version", { version: keyVersion })}</span>
      <span className="status" data-tone={tones[keyUse]} title={reason}>
        {t(`keys.${keyUse}`)}
      </span>
      <span className="row-what">
        {t("keys.requests", { number: requests })}
        {lastUsedTime && (
          <small>
            {t("keys.lastUsed")} <Moment at={lastUsedTime} />
          </small>
        )}
        <small>{reason}</small>
      </span>
      <span className="row-when">{!isRevoked && <RevokeKey scope={scope} merchantKey={merchantKey} />}</span>
    </li>
  );
}

const tones = { revoked: "quiet", safe: "quiet", needed: "happened", neverUsed: "quiet" } as const;
