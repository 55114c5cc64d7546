import { Alert, Code, Group, NativeSelect, Text, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Place } from "../api/console.ts";
import { gatewayOf } from "../api/environments.ts";
import { Copy } from "../components/copied.tsx";
import { codeOfCall, libraryLanguages, nameOfLanguage, type CodeLanguage } from "./request-code.ts";

interface Props {
  readonly place: Place;
  readonly path: string;
  readonly keyVersion: number;
  /** JSON. */
  readonly body: string;
}

const remembered = "tollgate-code-language";

/** An API request as curl, and as code for each client library. */
export function CallAsCode({ place, ...call }: Props): ReactNode {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<CodeLanguage>(firstLanguage);
  const baseUrl = gatewayOf(place.environment)?.url ?? "";
  const written = codeOfCall(language, { ...call, baseUrl, clientId: place.clientId });
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
            localStorage.setItem(remembered, value);
            setLanguage(value as CodeLanguage);
          }}
          data={[
            { value: "curl", label: t("calls.byHand", { language: nameOfLanguage("curl") }) },
            ...libraryLanguages.map((value) => ({
              value,
              label: t("calls.withLibrary", { language: nameOfLanguage(value) }),
            })),
          ]}
        />
        {"code" in written && <Copy text={written.code} />}
      </Group>
      {"code" in written ? (
        <Code block className="command">
          {written.code}
        </Code>
      ) : (
        <Alert variant="light">{t("calls.noCode", { why: written.problem })}</Alert>
      )}
    </section>
  );
}

function firstLanguage(): CodeLanguage {
  const before = localStorage.getItem(remembered);
  return libraryLanguages.find((each) => each === before) ?? "curl";
}
