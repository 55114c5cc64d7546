import { Button, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, type Place } from "../api/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { fieldsOf } from "../components/fields-of.ts";
import { Offer } from "../components/page-action.tsx";
import type { Options } from "./refund.tsx";

interface Props {
  readonly place: Place;
  readonly paymentId: string;
  readonly option: NonNullable<Options["cancel"]>;
  /** The effect of a cancel on this payment. */
  readonly means: "unpaid" | "paid" | "held";
  /** True if the full amount is refunded or lost to disputes. */
  readonly isNothingLeft: boolean;
}

/** Cancels a payment after the person has seen the effect. */
export function Cancel({ place, paymentId, option, means, isNothingLeft }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const may = useCan(place.environment)("payments.cancel");
  const cancel = useAct((reason: string) => act(place, "cancel", { paymentId }, reason), close);
  const { whyNot } = option;
  const why = whyNot && t(`payment.noCancel.${isNothingLeft ? "nothingLeft" : whyNot}`);
  return (
    <Offer
      name={t("payment.cancel.offer")}
      onChosen={open}
      whyNot={why ?? (may ? undefined : t("payment.mayNot"))}
    >
      <Modal opened={isOpen} onClose={close} title={t("payment.cancel.title")} centered>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            cancel.mutate(fieldsOf(event.currentTarget, ["reason"]).reason);
          }}
        >
          <Stack>
            <Text>{t(`payment.cancel.${means}`)}</Text>
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
    </Offer>
  );
}
