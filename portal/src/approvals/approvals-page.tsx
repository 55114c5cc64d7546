import { Anchor, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts, type RouteName } from "../api/request-accounts.ts";
import { performAct, repeatAsStaff, type ActName } from "../api/console-requests.ts";
import type { Routes } from "../generated/accounts.ts";
import { useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";

type Approval = Routes["GET /accounts/approvals"]["response"]["approvals"][number];

/** The page of pending approvals: requests of others to approve, and own approved requests to complete. */
export function ApprovalsPage(): ReactNode {
  const { t } = useTranslation();
  const { organisationId } = useMe();
  const { approvals } = useSuspenseQuery({
    queryKey: ["approvals", organisationId],
    queryFn: () => requestAccounts("GET /accounts/approvals", {}),
  }).data;
  return (
    <>
      <PageHead title={t("approvals.title")} lede={t("approvals.lede")} />
      {approvals.length === 0 && (
        <EmptyState icon="people" title={t("approvals.noneTitle")} lede={t("approvals.none")} />
      )}
      {approvals.length > 0 && (
        <ul className="rows">
          {approvals.map((approval) => (
            <ApprovalRow key={approval.approvalId} approval={approval} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Acts that only the requesting page can complete, because only that page has the private key. */
const onlyOnOwnPage: readonly string[] = ["addKey", "openClient"];

function ApprovalRow({ approval }: { readonly approval: Approval }): ReactNode {
  const { t } = useTranslation();
  const permissionName = t(`permissions.${approval.permission}` as "permissions.live.ask");
  const { approvalId, isOwn, isConfirmed, mayConfirm, environment, expiresAt } = approval;
  const confirm = useAct(() => requestAccounts("POST /accounts/approvals/confirm", { approvalId }));
  const drop = useAct(() => requestAccounts("POST /accounts/approvals/drop", { approvalId }));
  const runAct = useAct(() => perform(approval));
  const canRun = isOwn && isConfirmed && !onlyOnOwnPage.includes(approval.act);
  return (
    <li className="row row-acts">
      <Stack gap={4} className="row-what">
        <Text fw={600}>
          {approval.askedByName}: {approval.reason}
        </Text>
        <Text size="sm" c="dimmed">
          {t(`environments.${environment}`)} · {permissionName} · {approval.place} · {t("approvals.until")}{" "}
          <Moment at={expiresAt} />
        </Text>
        {Object.keys(approval.request).length > 0 && (
          <Code block className="command">
            {JSON.stringify(approval.request, null, 2)}
          </Code>
        )}
        <BreakSummary approval={approval} />
        <Failure error={confirm.error ?? drop.error ?? runAct.error} />
        {isOwn && (
          <Text size="sm">{t(`approvals.${isConfirmed ? (canRun ? "confirmed" : "goBack") : "waits"}`)}</Text>
        )}
      </Stack>
      <Group gap="xs" wrap="nowrap">
        {mayConfirm && (
          <Button size="xs" onClick={() => confirm.mutate()} loading={confirm.isPending}>
            {t("approvals.confirm")}
          </Button>
        )}
        {canRun && (
          <Button size="xs" onClick={() => runAct.mutate()} loading={runAct.isPending}>
            {t("approvals.go")}
          </Button>
        )}
        <Button variant="default" size="xs" onClick={() => drop.mutate()}>
          {t(isOwn ? "approvals.takeBack" : "approvals.turnDown")}
        </Button>
      </Group>
    </li>
  );
}

/** The break id alone does not help the approver, so this links to the page with the amounts of the break. */
function BreakSummary({
  approval: { act: name, request, environment },
}: {
  readonly approval: Approval;
}): ReactNode {
  const { t } = useTranslation();
  const { breakId } = (request as { readonly request?: { readonly breakId?: number } }).request ?? {};
  if (name !== "staff/writeOffBreak" || breakId === undefined) return undefined;
  return (
    <Anchor size="sm" href={`/${environment}/breaks?of=${breakId}`}>
      {t("approvals.break", { number: breakId })}
    </Anchor>
  );
}

/**
 * `perform` sends the request exactly as approved. Accounts consume an approval themselves; a gateway does not, so it
 * is dropped here.
 */
async function perform({
  approvalId,
  act: name,
  environment,
  place,
  request,
  reason,
}: Approval): Promise<void> {
  if (name.startsWith("POST /"))
    return void (await requestAccounts(name as RouteName, request as never, approvalId));
  if (name.startsWith("staff/")) await repeatAsStaff(environment, name, request, approvalId);
  else await performAct({ environment, clientId: place }, name as ActName, request as never, reason);
  await requestAccounts("POST /accounts/approvals/drop", { approvalId });
}
