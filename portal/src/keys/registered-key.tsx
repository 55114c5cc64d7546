import { Alert, Button, Code, CopyButton, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { findGateway } from "../api/environments.ts";
import { saveFile } from "../components/save-file.ts";
import { gatewayKeyFile as gatewayFile } from "./gateway-keys.tsx";
import type { RegisteredKeyVersion } from "./register-key.ts";

interface Props {
  readonly scope: ClientScope;
  readonly registered: RegisteredKeyVersion;
  /** The file name of the private key, if it was created here. */
  readonly file?: string;
}

/** The settings that a system needs to sign with a newly registered key. */
export function RegisteredKey({ scope, registered, file }: Props): ReactNode {
  const { t } = useTranslation();
  const { keyVersion, gatewayPublicKey } = registered;
  const settings = settingsFor(scope, registered, file);
  return (
    <Stack my="md" gap="sm" maw="44rem">
      <Alert variant="light" title={t("keys.registeredTitle", { version: keyVersion })} role="status">
        {file === undefined ? t("keys.registered") : t("keys.saved", { file })}
      </Alert>
      <Text size="sm">{t("keys.settings")}</Text>
      <Code block className="command">
        {settings}
      </Code>
      <Group>
        <CopyButton value={settings}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {t(copied ? "copy.done" : "copy.do")}
            </Button>
          )}
        </CopyButton>
        {gatewayPublicKey && (
          <Button variant="default" onClick={() => saveFile(gatewayFile, gatewayPublicKey)}>
            {t("keys.saveGateway")}
          </Button>
        )}
      </Group>
      {gatewayPublicKey && (
        <Text size="sm" c="dimmed">
          {t("keys.gatewayMeans", { file: gatewayFile })}
        </Text>
      )}
    </Stack>
  );
}

/** The environment variables that the client libraries read. */
function settingsFor(
  { environment, clientId }: ClientScope,
  { keyVersion, gatewayPublicKey }: RegisteredKeyVersion,
  file = "private.pem",
): string {
  return [
    `TOLLGATE_BASE_URL=${findGateway(environment)?.url ?? ""}`,
    `TOLLGATE_CLIENT_ID=${clientId}`,
    `TOLLGATE_KEY_VERSION=${keyVersion}`,
    `TOLLGATE_PRIVATE_KEY_FILE=${file}`,
    ...(gatewayPublicKey ? [`TOLLGATE_GATEWAY_PUBLIC_KEY_FILE=${gatewayFile}`] : []),
  ].join("\n");
}
