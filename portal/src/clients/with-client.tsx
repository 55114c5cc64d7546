import { Button, Code, CopyButton, Group, Select } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { clientIdsOf, forgetTokens, type Place } from "../api/console.ts";
import type { Environment } from "../api/environments.ts";
import { useCan, useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Empty } from "../shell/empty.tsx";
import { Failure } from "../shell/failure.tsx";

/** The organisation's clients in an environment. */
function useClientIds(environment: Environment): readonly string[] {
  const { organisationId } = useMe();
  return useSuspenseQuery({
    queryKey: ["clients", environment, organisationId],
    queryFn: () => clientIdsOf(environment),
    staleTime: 60_000,
  }).data;
}

interface Props {
  readonly environment: Environment;
  readonly children: (place: Place) => ReactNode;
}

/** Shows what belongs to a client: the one in the address, or the first. Without any, offers to open one. */
export function WithClient({ environment, children }: Props): ReactNode {
  const clientIds = useClientIds(environment);
  const { client } = useSearch({ from: "/shell/$environment" });
  const clientId = clientIds.find((each) => each === client) ?? clientIds[0];
  if (clientId === undefined) return <NoClient environment={environment} />;
  return (
    <>
      <ChooseClient clientIds={clientIds} clientId={clientId} />
      {children({ environment, clientId })}
    </>
  );
}

function ChooseClient({
  clientIds,
  clientId,
}: {
  readonly clientIds: readonly string[];
  readonly clientId: string;
}): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  if (clientIds.length > 1)
    return (
      <Select
        label={t("clients.clientId")}
        data={[...clientIds]}
        value={clientId}
        onChange={(client) => void navigate({ to: ".", search: client ? { client } : {} })}
        allowDeselect={false}
        maw="24rem"
        mb="md"
      />
    );
  return (
    <Group gap="xs" mb="md" className="client">
      <span>{t("clients.clientId")}</span>
      <Code>{clientId}</Code>
      <CopyButton value={clientId}>
        {({ copied, copy }) => (
          <Button variant="subtle" size="compact-xs" onClick={copy}>
            {t(copied ? "copy.done" : "copy.do")}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

function NoClient({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useTranslation();
  const may = useCan(environment)("clients.open");
  const open = useAct(async () => {
    await ask(`POST /accounts/clients/${environment}`, { name: t("clients.firstName") });
    forgetTokens();
  });
  return (
    <>
      <Failure error={open.error} />
      <Empty icon="keys" title={t("clients.noneTitle")} lede={t("clients.none")}>
        {may ? (
          <Button onClick={() => open.mutate()} loading={open.isPending}>
            {t("clients.open")}
          </Button>
        ) : (
          <span>{t("clients.mayNot")}</span>
        )}
      </Empty>
    </>
  );
}
