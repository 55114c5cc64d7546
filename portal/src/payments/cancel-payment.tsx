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
import type { Options } from "./refund-payment.tsx";

interface Props {
  readonly scope: ClientScope;
  readonly paymentId: string;
  readonly option: NonNullable<Options["cancel"]>;
  /** The effect of a cancel on this payment. */
  readonly paymentKind: "unpaid" | "paid" | "held";
  /** True if the full amount is refunded or lost to disputes. */
  readonly isNothingLeft: boolean;
}

/** Cancels a payment after the person has seen the effect. */
export function CancelPayment({ scope, paymentId, option, paymentKind, isNothingLeft }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const isPermitted = useCan(scope.environment)("payments.cancel");
  const cancel = useAct((reason: string) => performAct(scope, "cancel", { paymentId }, reason), close);
  const { whyNot } = option;
  const why = whyNot && t(`payment.noCancel.${isNothingLeft ? "nothingLeft" : whyNot}`);
  return (
    <PageAction
      name={t("payment.cancel.offer")}
      onSelect={open}
      disabledReason={why ?? (isPermitted ? undefined : t("payment.mayNot"))}
    >
      <Modal opened={isOpen} onClose={close} title={t("payment.cancel.title")} centered>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            cancel.mutate(readFields(event.currentTarget, ["reason"]).reason);
          }}
        >
          <Stack>
            <Text>{t(`payment.cancel.${paymentKind}`)}</Text>
            <Failure error={cancel.error} />
            <TextInput
              name="reason"
              label={t("payment.why")}
              description={t("payment.whyHint")}
              maxLength={256}
              required
              data-autofocus
            />
            <Button type="submit" color="red.9" loading={cancel.isPending}>
              {t("payment.cancel.do")}
            </Button>
          </Stack>
        </form>
      </Modal>
    </PageAction>
  );
}
