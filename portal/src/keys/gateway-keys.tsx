import { Button, Code, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";
import { Copy } from "../shell/copied.tsx";
import { Moment } from "../shell/moment.tsx";
import { saveFile } from "../shell/save-file.ts";

type GatewayKey = Views["keys"]["response"]["gatewayKeys"][number];

/** The name that settings of our client libraries are shown with. */
export const gatewayKeyFile = "gateway-public.pem";

/** The other direction: with these a merchant's system knows that an answer or a notification is ours. */
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
          <GatewayKeyRow key={key.keyVersion} shown={key} />
        ))}
      </ul>
    </section>
  );
}

function GatewayKeyRow({ shown }: { readonly shown: GatewayKey }): ReactNode {
  const { t } = useTranslation();
  const { keyVersion, isPinned, answers, notificationAttempts, lastUsedTime, publicKey } = shown;
  return (
    <li className="row">
      <span className="row-sum">{t("keys.gatewayKey", { version: keyVersion })}</span>
      <span className="status" data-tone={isPinned ? "happened" : "quiet"}>
        {t(isPinned ? "keys.signsNow" : "keys.notNow")}
      </span>
      <span className="row-what">
        {t("keys.gatewaySigned", { answers, notifications: notificationAttempts })}
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
