import { Alert, Code, Group, NativeSelect, Text, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { findGateway } from "../api/environments.ts";
import { Copy } from "../components/copyable-text.tsx";
import { writeRequestCode, libraryLanguages, languageName, type CodeLanguage } from "./write-request-code.ts";

interface Props {
  readonly scope: ClientScope;
  readonly path: string;
  readonly keyVersion: number;
  /** JSON. */
  readonly body: string;
}

const storageKey = "tollgate-code-language";

/** An API request as curl, and as code for each client library. */
export function RequestCodeView({ scope, ...call }: Props): ReactNode {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<CodeLanguage>(firstLanguage);
  const baseUrl = findGateway(scope.environment)?.url ?? "";
  const code = writeRequestCode(language, { ...call, baseUrl, clientId: scope.clientId });
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("calls.asCode")}
      </Title>
      <Text c="dimmed" mb="sm">
        {t("calls.asCodeLede")}
      </Text>
      <Group align="flex-end" mb="sm">
        <NativeSelect
          label={t("calls.language")}
          value={language}
          onChange={({ currentTarget: { value } }) => {
            localStorage.setItem(storageKey, value);
            setLanguage(value as CodeLanguage);
          }}
          data={[
            { value: "curl", label: t("calls.byHand", { language: languageName("curl") }) },
            ...libraryLanguages.map((value) => ({
              value,
              label: t("calls.withLibrary", { language: languageName(value) }),
            })),
          ]}
        />
        {"code" in code && <Copy text={code.code} />}
      </Group>
      {"code" in code ? (
        <Code block className="command">
          {code.code}
        </Code>
      ) : (
        <Alert variant="light">{t("calls.noCode", { why: code.problem })}</Alert>
      )}
    </section>
  );
}

function firstLanguage(): CodeLanguage {
  const storedLanguage = localStorage.getItem(storageKey);
  return libraryLanguages.find((each) => each === storedLanguage) ?? "curl";
}
