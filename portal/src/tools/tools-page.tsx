import { Code, Stack, Text, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { WithClient } from "../clients/with-client.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SandboxOnly } from "../components/sandbox-only.tsx";
import { Clock } from "./clock.tsx";
import { Codes } from "./codes.tsx";
import { Faults } from "./faults.tsx";

export function ToolsPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/tools" });
  return (
    <>
      <PageHead title={t("tools.title")} lede={t("tools.lede")} />
      {environment === "live" ? (
        <SandboxOnly lede={t("tools.onlySandbox")} />
      ) : (
        <WithClient environment={environment}>
          {(scope) => (
            <Stack gap="xl" key={scope.clientId}>
              <Clock scope={scope} />
              <Faults scope={scope} />
              <Codes environment={environment} />
              <SandboxOnlyNotice />
            </Stack>
          )}
        </WithClient>
      )}
    </>
  );
}

const commands = "tollgate pay\ntollgate approve PAYMENT_ID\ntollgate faults --list\ntollgate universe new";

/** Functions that need the sandbox's control secret, which the portal does not use. */
function SandboxOnlyNotice(): ReactNode {
  const { t } = useTranslation();
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("tools.elsewhere")}
      </Title>
      <Text c="dimmed" mb="sm" maw="44rem">
        {t("tools.elsewhereLede")}
      </Text>
      <Code block className="command">
        {commands}
      </Code>
    </section>
  );
}
