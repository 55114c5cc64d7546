import { Button, Checkbox, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, type Place } from "../api/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../shell/failure.tsx";
import { fieldsOf } from "../shell/fields-of.ts";
import { Offer } from "../shell/offer.tsx";
import { SumInput } from "../shell/sum-input.tsx";
import { sumInWords, type Amount } from "../shell/sum-in-words.ts";
import type { Options } from "./refund.tsx";

interface Props {
  readonly place: Place;
  readonly paymentId: string;
  readonly option: NonNullable<Options["capture"]>;
}

/** Takes money that is held. It is what the page is opened for as long as there is some. */
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
  // Idempotency: however often this form is sent, it is one capture.
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
