import { Button, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, type ClientScope } from "../api/console-requests.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { PageAction } from "../components/page-action.tsx";
import { formatAmount } from "../components/format-amount.ts";
import type { Dispute } from "./dispute-row.tsx";

interface Props {
  readonly scope: ClientScope;
  readonly dispute: Dispute;
}

/** Accepts a chargeback. The gateway requires re-authentication, because the buyer gets the money back. */
export function AcceptDispute({ scope, dispute }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const isPermitted = useCan(scope.environment)("disputes.accept");
  const { whyNotAccept } = dispute;
  return (
    <PageAction
      name={t("disputes.accept")}
      onSelect={open}
      disabledReason={
        whyNotAccept ? t(`disputes.whyNot.${whyNotAccept}`) : isPermitted ? undefined : t("disputes.mayNot")
      }
    >
      <Modal opened={isOpen} onClose={close} title={t("disputes.acceptTitle")} centered>
        <AcceptForm scope={scope} dispute={dispute} onDone={close} />
      </Modal>
    </PageAction>
  );
}

function AcceptForm({ scope, dispute, onDone }: Props & { readonly onDone: () => void }): ReactNode {
  const { t, i18n } = useTranslation();
  const { disputeId, disputeAmount } = dispute;
  const accept = useAct((note: string) => performAct(scope, "acceptDispute", { disputeId }, note), onDone);
  const sum = formatAmount(disputeAmount, i18n.language);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        accept.mutate(readFields(event.currentTarget, ["note"]).note);
      }}
    >
      <Stack>
        <Text>{t("disputes.acceptMeans", { sum })}</Text>
        <Failure error={accept.error} />
        <TextInput
          name="note"
          label={t("disputes.why")}
          description={t("disputes.whyHint")}
          maxLength={256}
          data-autofocus
        />
        <Button type="submit" color="red.9" loading={accept.isPending}>
          {t("disputes.acceptDo", { sum })}
        </Button>
      </Stack>
    </form>
  );
}
