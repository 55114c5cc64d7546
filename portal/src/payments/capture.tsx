import { Button, Checkbox, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, type Place } from "../api/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { fieldsOf } from "../components/fields-of.ts";
import { Offer } from "../components/page-action.tsx";
import { SumInput } from "../components/sum-input.tsx";
import { sumInWords, type Amount } from "../components/format-amount.ts";
import type { Options } from "./refund.tsx";

interface Props {
  readonly place: Place;
  readonly paymentId: string;
  readonly option: NonNullable<Options["capture"]>;
}

/** Captures an authorized payment. It is the main action of the page while there is an amount to capture. */
export function Capture({ place, paymentId, option }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const may = useCan(place.environment)("payments.capture");
  const { whyNot } = option;
  return (
    <Offer
      name={t("payment.capture.offer")}
      onChosen={open}
      whyNot={whyNot ? t(`payment.noCapture.${whyNot}`) : may ? undefined : t("payment.mayNot")}
      isUsual
    >
      <Modal opened={isOpen} onClose={close} title={t("payment.capture.title")} centered>
        <CaptureForm place={place} paymentId={paymentId} option={option} onDone={close} />
      </Modal>
    </Offer>
  );
}

interface Given {
  readonly reason: string;
  readonly captureAmount: Amount;
  readonly isLastCapture: boolean;
}

function CaptureForm({
  place,
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
    ({ reason, ...given }: Given) => act(place, "capture", { paymentId, captureRequestId, ...given }, reason),
    onDone,
  );
  const words = (amount: Amount): string => sumInWords(amount, i18n.language);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { reason } = fieldsOf(event.currentTarget, ["reason"]);
        if (captureAmount) capture.mutate({ captureAmount, isLastCapture, reason });
      }}
    >
      <Stack>
        <Text>{t("payment.capture.means", { sum: words(left) })}</Text>
        <Failure error={capture.error} />
        <SumInput
          start={left}
          hint={t("payment.sumMost", { sum: words(left) })}
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
            ? t("payment.capture.do", { sum: words(captureAmount) })
            : t("payment.capture.offer")}
        </Button>
      </Stack>
    </form>
  );
}
