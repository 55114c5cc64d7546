import { Button, Text, TextInput, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import { CallStatus } from "../calls/call-status.tsx";
import { apiOperations } from "../generated/api.ts";
import { shownCodes, type ShownCode } from "../generated/scenarios.ts";
import { LinkAnchor } from "../components/links.tsx";

/** Number of codes that are shown before a search. */
const initialCount = 12;

/** All result codes and how to produce them. */
export function Codes({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const [showsAll, setShowsAll] = useState(false);
  const searchText = typed.trim().toLowerCase();
  const matches = shownCodes.filter(({ code, message, how }) =>
    `${code} ${message} ${how}`.toLowerCase().includes(searchText),
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
      {matches.length === 0 && <Text>{t("tools.none")}</Text>}
      {matches.length > 0 && (
        <ul className="rows">
          {matches.slice(0, showsAll ? undefined : initialCount).map((each) => (
            <CodeRow key={each.code} entry={each} environment={environment} />
          ))}
        </ul>
      )}
      {!showsAll && matches.length > initialCount && (
        <Button variant="default" mt="sm" onClick={() => setShowsAll(true)}>
          {t("tools.showAll", { number: matches.length })}
        </Button>
      )}
    </section>
  );
}

function CodeRow({
  entry: { code, status, message, how, operation },
  environment,
}: {
  readonly entry: ShownCode;
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
