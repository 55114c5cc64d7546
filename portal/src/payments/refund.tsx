import { Button, Modal, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, type Place } from "../api/console.ts";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { fieldsOf } from "../components/fields-of.ts";
import { Offer } from "../components/page-action.tsx";
import { SumInput } from "../components/sum-input.tsx";
import { sumInWords, type Amount } from "../components/format-amount.ts";

export type Options = Views["paymentOptions"]["response"];

interface Props {
  readonly place: Place;
  readonly paymentId: string;
  readonly option: NonNullable<Options["refund"]>;
}

/** Refunds a payment. The gateway decides the refundable amount and the reason if nothing is refundable. */
export function Refund({ place, paymentId, option }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const may = useCan(place.environment)("payments.refund");
  const { whyNot } = option;
  return (
    <Offer
      name={t("refund.offer")}
      onChosen={open}
      whyNot={whyNot ? t(`payment.noRefund.${whyNot}`) : may ? undefined : t("refund.mayNot")}
    >
      <Modal opened={isOpen} onClose={close} title={t("refund.title")} centered>
        <RefundForm place={place} paymentId={paymentId} option={option} onDone={close} />
      </Modal>
    </Offer>
  );
}

function RefundForm({
  place,
  paymentId,
  option,
  onDone,
}: Props & { readonly onDone: () => void }): ReactNode {
  const { t, i18n } = useTranslation();
  const [refundAmount, setRefundAmount] = useState<Amount | undefined>(option.most);
  // Idempotency: a form that is sent repeatedly makes only one refund.
  const [refundRequestId] = useState(() => `portal-${crypto.randomUUID()}`);
  const refund = useAct(
    ({ reason, given }: { readonly reason: string; readonly given: Amount }) =>
      act(place, "refund", { paymentId, refundRequestId, refundAmount: given }, reason),
    onDone,
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (refundAmount)
          refund.mutate({ given: refundAmount, ...fieldsOf(event.currentTarget, ["reason"]) });
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
            ? t("refund.do", { sum: sumInWords(refundAmount, i18n.language) })
            : t("refund.offer")}
        </Button>
      </Stack>
    </form>
  );
}

function useHint({ left, most, inParts }: Props["option"]): string {
  const { t, i18n } = useTranslation();
  const [leftInWords, mostInWords] = [left, most].map((each) => sumInWords(each, i18n.language));
  if (!inParts) return t("payment.sumWhole");
  if (left.value !== most.value) return t("payment.sumLimited", { left: leftInWords, most: mostInWords });
  return t("payment.sumMost", { sum: mostInWords });
}
