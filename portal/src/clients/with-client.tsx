import { Button, Code, CopyButton, Group, Select, Skeleton } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { listClientIds, clearTokens, type ClientScope } from "../api/console-requests.ts";
import type { Environment } from "../api/environments.ts";
import { useCan, useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkButton } from "../components/links.tsx";
import { useIsOpen } from "./use-is-open.ts";

/** Client ids of the organisation in an environment. */
function useClientIds(environment: Environment): readonly string[] {
  const { organisationId } = useMe();
  return useSuspenseQuery({
    queryKey: ["clients", environment, organisationId],
    queryFn: () => listClientIds(environment),
    staleTime: 60_000,
  }).data;
}

interface Props {
  readonly environment: Environment;
  readonly children: (scope: ClientScope, isOpen: boolean) => ReactNode;
  /** True if the page is also shown for a client without a first key. */
  readonly evenClosed?: boolean;
}

/** Shows the data of a client: the one in the URL, or the first. Without a client, it offers to create one. */
export function WithClient({ environment, ...props }: Props): ReactNode {
  const clientIds = useClientIds(environment);
  const { client } = useSearch({ from: "/shell/$environment" });
  const clientId = clientIds.find((each) => each === client) ?? clientIds[0];
  if (clientId === undefined) return <NoClient environment={environment} />;
  return (
    <>
      <ChooseClient clientIds={clientIds} clientId={clientId} />
      <ClientPage scope={{ environment, clientId }} {...props} />
    </>
  );
}

function ClientPage({
  scope,
  children,
  evenClosed,
}: Omit<Props, "environment"> & { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const isOpen = useIsOpen(scope);
  if (isOpen === undefined) return <Skeleton height={120} />;
  if (isOpen || evenClosed) return children(scope, isOpen);
  return (
    <EmptyState icon="keys" title={t("clients.closedTitle")} lede={t("clients.closed")}>
      <LinkButton to="/$environment/keys" params={{ environment: scope.environment }} search>
        {t("clients.toKeys")}
      </LinkButton>
    </EmptyState>
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
  const isPermitted = useCan(environment)("clients.open");
  const navigate = useNavigate();
  const open = useAct(
    async () => {
      await requestAccounts(`POST /accounts/clients/${environment}`, { name: t("clients.firstName") });
      clearTokens();
    },
    // The first key creates the client at the environment's gateway.
    () => void navigate({ to: "/$environment/keys", params: { environment } }),
  );
  return (
    <>
      <Failure error={open.error} />
      <EmptyState icon="keys" title={t("clients.noneTitle")} lede={t("clients.none")}>
        {isPermitted ? (
          <Button onClick={() => open.mutate()} loading={open.isPending}>
            {t("clients.open")}
          </Button>
        ) : (
          <span>{t("clients.mayNot")}</span>
        )}
      </EmptyState>
    </>
  );
}
