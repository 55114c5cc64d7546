import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { whileActive } from "../api/idle-refresh.ts";
import { askView, type Place } from "../api/console.ts";
import { WithClient } from "../clients/with-client.tsx";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { GatewayKeys } from "./gateway-keys.tsx";
import { NewKey } from "./new-key.tsx";
import { RevokeKey, type ShownKey } from "./revoke-key.tsx";

export function KeysPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/keys" });
  return (
    <>
      <PageHead title={t("keys.title")} lede={t("keys.lede")} />
      <WithClient environment={environment} evenClosed>
        {(place, isOpen) => (
          <Stack gap="xl" key={place.clientId}>
            {isOpen ? <Keys place={place} /> : <NoKey />}
            <NewKey place={place} isOpen={isOpen} />
          </Stack>
        )}
      </WithClient>
    </>
  );
}

function NoKey(): ReactNode {
  const { t } = useTranslation();
  return <Empty icon="keys" title={t("keys.noneTitle")} lede={t("keys.none")} />;
}

function Keys({ place }: { readonly place: Place }): ReactNode {
  const report = useQuery({
    queryKey: ["keys", place],
    queryFn: () => askView(place, "keys", {}),
    refetchInterval: whileActive(10_000),
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
            <KeyRow key={key.keyVersion} place={place} shown={key} />
          ))}
        </ul>
      )}
      <GatewayKeys keys={gatewayKeys} />
    </>
  );
}

function KeyRow({ place, shown }: { readonly place: Place; readonly shown: ShownKey }): ReactNode {
  const { t } = useTranslation();
  const { keyVersion, keyStatus, requests, lastUsedTime, isSafeToRevoke, reason } = shown;
  const isRevoked = keyStatus === "REVOKED";
  const word = isRevoked ? "revoked" : isSafeToRevoke ? "safe" : lastUsedTime ? "needed" : "neverUsed";
  return (
    <li className="row">
      <span className="row-sum">{t("keys.version", { version: keyVersion })}</span>
      <span className="status" data-tone={tones[word]} title={reason}>
        {t(`keys.${word}`)}
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
      <span className="row-when">{!isRevoked && <RevokeKey place={place} shown={shown} />}</span>
    </li>
  );
}

const tones = { revoked: "quiet", safe: "quiet", needed: "happened", neverUsed: "quiet" } as const;
