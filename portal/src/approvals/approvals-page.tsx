import { Anchor, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask, type RouteName } from "../api/accounts.ts";
import { act, repeatAsStaff, type ActName } from "../api/console.ts";
import type { Routes } from "../generated/accounts.ts";
import { useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Empty } from "../components/empty.tsx";
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
    queryFn: () => ask("GET /accounts/approvals", {}),
  }).data;
  return (
    <>
      <PageHead title={t("approvals.title")} lede={t("approvals.lede")} />
      {approvals.length === 0 && (
        <Empty icon="people" title={t("approvals.noneTitle")} lede={t("approvals.none")} />
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
const onlyWhereAsked: readonly string[] = ["addKey", "openClient"];

function ApprovalRow({ approval }: { readonly approval: Approval }): ReactNode {
  const { t } = useTranslation();
  const what = t(`permissions.${approval.permission}` as "permissions.live.ask");
  const { approvalId, isOwn, isConfirmed, mayConfirm, environment, expiresAt } = approval;
  const confirm = useAct(() => ask("POST /accounts/approvals/confirm", { approvalId }));
  const drop = useAct(() => ask("POST /accounts/approvals/drop", { approvalId }));
  const go = useAct(() => perform(approval));
  const mayGo = isOwn && isConfirmed && !onlyWhereAsked.includes(approval.act);
  return (
    <li className="row row-acts">
      <Stack gap={4} className="row-what">
        <Text fw={600}>
          {approval.askedByName}: {approval.reason}
        </Text>
        <Text size="sm" c="dimmed">
          {t(`environments.${environment}`)} · {what} · {approval.place} · {t("approvals.until")}{" "}
          <Moment at={expiresAt} />
        </Text>
        {Object.keys(approval.request).length > 0 && (
          <Code block className="command">
            {JSON.stringify(approval.request, null, 2)}
          </Code>
        )}
        <BreakOf approval={approval} />
        <Failure error={confirm.error ?? drop.error ?? go.error} />
        {isOwn && (
          <Text size="sm">{t(`approvals.${isConfirmed ? (mayGo ? "confirmed" : "goBack") : "waits"}`)}</Text>
        )}
      </Stack>
      <Group gap="xs" wrap="nowrap">
        {mayConfirm && (
          <Button size="xs" onClick={() => confirm.mutate()} loading={confirm.isPending}>
            {t("approvals.confirm")}
          </Button>
        )}
        {mayGo && (
          <Button size="xs" onClick={() => go.mutate()} loading={go.isPending}>
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
function BreakOf({
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
  if (name.startsWith("POST /")) return void (await ask(name as RouteName, request as never, approvalId));
  if (name.startsWith("staff/")) await repeatAsStaff(environment, name, request, approvalId);
  else await act({ environment, clientId: place }, name as ActName, request as never, reason);
  await ask("POST /accounts/approvals/drop", { approvalId });
}
