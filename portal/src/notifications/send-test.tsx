import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, type ClientScope } from "../api/console-requests.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { notificationKinds, type NotificationKind } from "./notification-kinds.ts";

/** A test webhook, which shows whether the merchant's system is reachable. Only the sandbox sends it. */
export function SendTest({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const isPermitted = useCan(scope.environment)("sandbox.steer");
  return (
    <>
      <Button variant="default" onClick={open} disabled={!isPermitted}>
        {t("notifications.test")}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t("notifications.testTitle")} centered>
        <TestForm scope={scope} />
      </Modal>
    </>
  );
}

function TestForm({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { environment } = scope;
  const send = useAct(
    ({ kind, url }: { readonly kind: NotificationKind; readonly url: string }) =>
      performAct(scope, "sendTestNotification", { notificationKind: kind, ...(url && { url }) }),
    ({ notificationId }) =>
      void navigate({
        to: "/$environment/notifications/$notificationId",
        params: { environment, notificationId },
      }),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { kind, url } = readFields(event.currentTarget, ["kind", "url"]);
        send.mutate({ kind: kind as NotificationKind, url });
      }}
    >
      <Stack>
        <Text size="sm">{t("notifications.testLede")}</Text>
        <NativeSelect
          name="kind"
          label={t("notifications.kind")}
          data={notificationKinds.map((value) => ({ value, label: t(`notificationKind.${value}`) }))}
        />
        <TextInput
          name="url"
          type="url"
          label={t("notifications.testTo")}
          description={t("notifications.testToHint")}
          placeholder="https://shop.example/notify"
        />
        <Failure error={send.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={send.isPending}>
            {t("notifications.testSend")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
