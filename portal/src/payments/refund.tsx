import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, type Place } from "../api/console.ts";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../shell/failure.tsx";
import { fieldsOf } from "../shell/fields-of.ts";
import { fromTyped, sumInWords, toTyped, type Amount } from "../shell/sum-in-words.ts";

interface Props {
  readonly place: Place;
  readonly payment: Views["payment"]["response"]["payment"];
}

/** Offered for what was paid. How much is left to refund, the gateway alone decides. */
export function Refund({ place, payment }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const may = useCan(place.environment)("payments.refund");
  const { paymentAmount: amount, paymentStatus } = payment;
  if (paymentStatus !== "SUCCESS" || !amount) return undefined;
  return (
    <Group ml="auto" gap="xs">
      {!may && (
        <Text size="sm" c="dimmed">
          {t("refund.mayNot")}
        </Text>
      )}
      <Button variant="default" onClick={open} disabled={!may}>
        {t("refund.offer")}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t("refund.title")} centered>
        <RefundForm place={place} paymentId={payment.paymentId} amount={amount} onDone={close} />
      </Modal>
    </Group>
  );
}

interface FormProps {
  readonly place: Place;
  readonly paymentId: string;
  readonly amount: Amount;
  readonly onDone: () => void;
}

function RefundForm({ place, paymentId, amount, onDone }: FormProps): ReactNode {
  const { t, i18n } = useTranslation();
  const [typed, setTyped] = useState(toTyped(amount));
  // Idempotency: however often this form is sent, it is one refund.
  const [refundRequestId] = useState(() => `portal-${crypto.randomUUID()}`);
  const refundAmount = fromTyped(typed, amount.currency);
  const refund = useAct(
    ({ reason, refundAmount: given }: { readonly reason: string; readonly refundAmount: Amount }) =>
      act(place, "refund", { paymentId, refundRequestId, refundAmount: given }, reason),
    onDone,
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (refundAmount) refund.mutate({ refundAmount, ...fieldsOf(event.currentTarget, ["reason"]) });
      }}
    >
      <Stack>
        <Failure error={refund.error} />
        <TextInput
          label={t("refund.amount", { currency: amount.currency })}
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          error={refundAmount ? undefined : t("refund.noAmount")}
          inputMode="decimal"
          data-autofocus
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
