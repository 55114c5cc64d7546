import { Button, Checkbox, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, type ClientScope } from "../api/console-requests.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { PageAction } from "../components/page-action.tsx";
import { SumInput } from "../components/sum-input.tsx";
import { formatAmount, type Amount } from "../components/format-amount.ts";
import type { Options } from "./refund-payment.tsx";

interface Props {
  readonly scope: ClientScope;
  readonly paymentId: string;
  readonly option: NonNullable<Options["capture"]>;
}

/** Captures an authorized payment. It is the main action of the page while there is an amount to capture. */
export function CapturePayment({ scope, paymentId, option }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const isPermitted = useCan(scope.environment)("payments.capture");
  const { whyNot } = option;
  return (
    <PageAction
      name={t("payment.capture.offer")}
      onSelect={open}
      disabledReason={
        whyNot ? t(`payment.noCapture.${whyNot}`) : isPermitted ? undefined : t("payment.mayNot")
      }
      isPrimary
    >
      <Modal opened={isOpen} onClose={close} title={t("payment.capture.title")} centered>
        <CaptureForm scope={scope} paymentId={paymentId} option={option} onDone={close} />
      </Modal>
    </PageAction>
  );
}

interface CaptureInput {
  readonly reason: string;
  readonly captureAmount: Amount;
  readonly isLastCapture: boolean;
}

function CaptureForm({
  scope,
  paymentId,
  option,
  onDone,
}: Props & { readonly onDone: () => void }): ReactNode {
  const { t, i18n } = useTranslation();
  const { left } = option;
  const [captureAmount, setCaptureAmount] = useState<Amount | undefined>(left);
  const [isLastCapture, setIsLastCapture] = useState(false);
  // Idempotency: a form that is sent repeatedly makes only one capture.
  const [captureRequestId] = useState(() => `portal-${crypto.randomUUID()}`);
  const capture = useAct(
    ({ reason, ...input }: CaptureInput) =>
      performAct(scope, "capture", { paymentId, captureRequestId, ...input }, reason),
    onDone,
  );
  const format = (amount: Amount): string => formatAmount(amount, i18n.language);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { reason } = readFields(event.currentTarget, ["reason"]);
        if (captureAmount) capture.mutate({ captureAmount, isLastCapture, reason });
      }}
    >
      <Stack>
        <Text>{t("payment.capture.means", { sum: format(left) })}</Text>
        <Failure error={capture.error} />
        <SumInput
          start={left}
          hint={t("payment.sumMost", { sum: format(left) })}
          onChange={setCaptureAmount}
        />
        <Checkbox
          label={t("payment.capture.isLast")}
          checked={isLastCapture}
          onChange={({ currentTarget: { checked } }) => setIsLastCapture(checked)}
        />
        <TextInput
          name="reason"
          label={t("payment.why")}
          description={t("payment.whyHint")}
          maxLength={256}
        />
        <Button type="submit" loading={capture.isPending} disabled={!captureAmount}>
          {captureAmount
            ? t("payment.capture.do", { sum: format(captureAmount) })
            : t("payment.capture.offer")}
        </Button>
      </Stack>
    </form>
  );
}
