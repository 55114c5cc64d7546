import { Button, Text, TextInput, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { CallStatus } from "../calls/call-status.tsx";
import { apiOperations } from "../generated/api.ts";
import { shownCodes, type ShownCode } from "../generated/scenarios.ts";
import { LinkAnchor } from "../components/links.tsx";

/** Number of codes that are shown before a search. */
const shownFirst = 12;

/** All result codes and how to produce them. */
export function Codes({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [isWhole, setIsWhole] = useState(false);
  const wanted = typed.trim().toLowerCase();
  const fitting = shownCodes.filter(({ code, message, how }) =>
    `${code} ${message} ${how}`.toLowerCase().includes(wanted),
  );
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("tools.codes")}
      </Title>
      <Text c="dimmed" mb="sm" maw="44rem">
        {t("tools.codesLede")}
      </Text>
      <TextInput
        type="search"
        label={t("tools.search")}
        value={typed}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
        maw="24rem"
        mb="sm"
      />
      {fitting.length === 0 && <Text>{t("tools.none")}</Text>}
      {fitting.length > 0 && (
        <ul className="rows">
          {fitting.slice(0, isWhole ? undefined : shownFirst).map((each) => (
            <CodeRow key={each.code} shown={each} environment={environment} />
          ))}
        </ul>
      )}
      {!isWhole && fitting.length > shownFirst && (
        <Button variant="default" mt="sm" onClick={() => setIsWhole(true)}>
          {t("tools.showAll", { number: fitting.length })}
        </Button>
      )}
    </section>
  );
}

function CodeRow({
  shown: { code, status, message, how, operation },
  environment,
}: {
  readonly shown: ShownCode;
  readonly environment: Environment;
}): ReactNode {
  const { t, i18n } = useTranslation();
  // The English message comes from the server.
  const isTranslated = i18n.language !== "en" && i18n.exists(`refusals.${code}`);
  const canTry = apiOperations.some(({ path }) => path === operation);
  return (
    <li className="row row-three">
      <CallStatus call={{ resultCode: code, resultStatus: status }} />
      <span className="row-what">
        {operation === undefined ? t("tools.cannot", { why: how }) : how}
        <small>{isTranslated ? t(`refusals.${code}` as "refusals.FAULT") : message}</small>
      </span>
      <span className="row-when">
        {operation !== undefined && canTry && (
          <LinkAnchor
            size="sm"
            to="/$environment/try"
            params={{ environment }}
            search={{ operation }}
            aria-label={t("tools.tryNamed", { operation })}
          >
            {t("tools.try")}
          </LinkAnchor>
        )}
      </span>
    </li>
  );
}
