import { Button, Code, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";
import { Copy } from "../components/copyable-text.tsx";
import { Moment } from "../components/moment.tsx";
import { saveFile } from "../components/save-file.ts";

type GatewayKey = Views["keys"]["response"]["gatewayKeys"][number];

/** The file name in the settings that are shown for client libraries. */
export const gatewayKeyFile = "gateway-public.pem";

/** The gateway's public keys, with which the merchant's system verifies responses and webhooks. */
export function GatewayKeys({ keys }: { readonly keys: readonly GatewayKey[] }): ReactNode {
  const { t } = useTranslation();
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("keys.gatewayTitle")}
      </Title>
      <Text c="dimmed" mb="sm" maw="44rem">
        {t("keys.gatewayLede")}
      </Text>
      <ul className="rows">
        {keys.map((key) => (
          <GatewayKeyRow key={key.keyVersion} gatewayKey={key} />
        ))}
      </ul>
    </section>
  );
}

function GatewayKeyRow({ gatewayKey }: { readonly gatewayKey: GatewayKey }): ReactNode {
  const { t } = useTranslation();
  const { keyVersion, isPinned, answers, notificationAttempts, lastUsedTime, publicKey } = gatewayKey;
  return (
    <li className="row">
      <span className="row-sum">{t("keys.gatewayKey", { version: keyVersion })}</span>
      <span className="status" data-tone={isPinned ? "happened" : "quiet"}>
        {t(isPinned ? "keys.signsNow" : "keys.notNow")}
      </span>
      <span className="row-what">
        {t("keys.gatewaySigned", { responses: answers, webhooks: notificationAttempts })}
        {lastUsedTime && (
          <small>
            {t("keys.lastUsed")} <Moment at={lastUsedTime} />
          </small>
        )}
        <details className="more">
          <summary>{t("keys.showPublic")}</summary>
          <Code block className="command">
            {publicKey}
          </Code>
          <Copy text={publicKey} />
        </details>
      </span>
      <span className="row-when">
        <Button
          variant="default"
          size="xs"
          aria-label={t("keys.savePublicNamed", { version: keyVersion })}
          onClick={() => saveFile(gatewayKeyFile, publicKey)}
        >
          {t("keys.savePublic")}
        </Button>
      </span>
    </li>
  );
}
