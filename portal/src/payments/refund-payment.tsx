import { Button, Modal, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, type ClientScope } from "../api/console-requests.ts";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { PageAction } from "../components/page-action.tsx";
import { SumInput } from "../components/sum-input.tsx";
import { formatAmount, type Amount } from "../components/format-amount.ts";

export type Options = Views["paymentOptions"]["response"];

interface Props {
  readonly scope: ClientScope;
  readonly paymentId: string;
  readonly option: NonNullable<Options["refund"]>;
}

/** Refunds a payment. The gateway decides the refundable amount and the reason if nothing is refundable. */
export function RefundPayment({ scope, paymentId, option }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const isPermitted = useCan(scope.environment)("payments.refund");
  const { whyNot } = option;
  return (
    <PageAction
      name={t("refund.offer")}
      onSelect={open}
      disabledReason={whyNot ? t(`payment.noRefund.${whyNot}`) : isPermitted ? undefined : t("refund.mayNot")}
    >
      <Modal opened={isOpen} onClose={close} title={t("refund.title")} centered>
        <RefundForm scope={scope} paymentId={paymentId} option={option} onDone={close} />
      </Modal>
    </PageAction>
  );
}

function RefundForm({
  scope,
  paymentId,
  option,
  onDone,
}: Props & { readonly onDone: () => void }): ReactNode {
  const { t, i18n } = useTranslation();
  const [refundAmount, setRefundAmount] = useState<Amount | undefined>(option.most);
  // Idempotency: a form that is sent repeatedly makes only one refund.
  const [refundRequestId] = useState(() => `portal-${crypto.randomUUID()}`);
  const refund = useAct(
    ({ reason, given: input }: { readonly reason: string; readonly given: Amount }) =>
      performAct(scope, "refund", { paymentId, refundRequestId, refundAmount: input }, reason),
    onDone,
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (refundAmount)
          refund.mutate({ given: refundAmount, ...readFields(event.currentTarget, ["reason"]) });
      }}
    >
      <Stack>
        <Failure error={refund.error} />
        <SumInput
          start={option.most}
          hint={useHint(option)}
          isFixed={!option.inParts}
          onChange={setRefundAmount}
        />
        <TextInput
          name="reason"
          label={t("refund.reason")}
          description={t("refund.reasonHint")}
          maxLength={256}
          required
        />
        <Button type="submit" loading={refund.isPending} disabled={!refundAmount}>
          {refundAmount
            ? t("refund.do", { sum: formatAmount(refundAmount, i18n.language) })
            : t("refund.offer")}
        </Button>
      </Stack>
    </form>
  );
}

function useHint({ left, most, inParts }: Props["option"]): string {
  const { t, i18n } = useTranslation();
  const [leftText, mostText] = [left, most].map((each) => formatAmount(each, i18n.language));
  if (!inParts) return t("payment.sumWhole");
  if (left.value !== most.value) return t("payment.sumLimited", { left: leftText, most: mostText });
  return t("payment.sumMost", { sum: mostText });
}
