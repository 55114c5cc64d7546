import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Permission } from "../../../server/src/people/role.ts";
import { requestAccounts } from "../api/request-accounts.ts";
import type { ApprovalNeeded } from "../api/needed-approval.ts";
import { useAct } from "../session/use-act.ts";
import { LinkAnchor } from "./links.tsx";

/**
 * `RequestApproval` lets a person request the approval that a refused action requires. It is no form element, because
 * pages show it inside forms.
 */
export function RequestApproval({ approval }: { readonly approval: ApprovalNeeded }): ReactNode {
  const { t } = useTranslation();
  const [reason, setReason] = useState(approval.reason ?? "");
  const send = useAct(() =>
    requestAccounts("POST /accounts/approvals", {
      ...approval,
      permission: approval.permission as Permission,
      reason: reason.trim(),
    }),
  );
  if (send.isSuccess)
    return (
      <Text size="sm" mt="xs" role="status">
        {t("approvals.asked")} <LinkAnchor to="/approvals">{t("approvals.title")}</LinkAnchor>
      </Text>
    );
  return (
    <Stack gap="xs" mt="xs">
      <TextInput
        label={t("approvals.why")}
        value={reason}
        onChange={({ currentTarget: { value } }) => setReason(value)}
        error={send.error?.message}
        maxLength={500}
      />
      <Group>
        <Button
          size="xs"
          onClick={() => send.mutate()}
          loading={send.isPending}
          aria-disabled={reason.trim() === ""}
        >
          {t("approvals.ask")}
        </Button>
      </Group>
    </Stack>
  );
}
