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
import { sumInWords } from "../components/format-amount.ts";
import type { Dispute } from "./dispute-row.tsx";

interface Props {
  readonly place: Place;
  readonly dispute: Dispute;
}

/** Accepts a chargeback. The gateway requires re-authentication, because the buyer gets the money back. */
export function Accept({ place, dispute }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const may = useCan(place.environment)("disputes.accept");
  const { whyNotAccept } = dispute;
  return (
    <Offer
      name={t("disputes.accept")}
      onChosen={open}
      whyNot={whyNotAccept ? t(`disputes.whyNot.${whyNotAccept}`) : may ? undefined : t("disputes.mayNot")}
    >
      <Modal opened={isOpen} onClose={close} title={t("disputes.acceptTitle")} centered>
        <AcceptForm place={place} dispute={dispute} onDone={close} />
      </Modal>
    </Offer>
  );
}

function AcceptForm({ place, dispute, onDone }: Props & { readonly onDone: () => void }): ReactNode {
  const { t, i18n } = useTranslation();
  const { disputeId, disputeAmount } = dispute;
  const accept = useAct((note: string) => act(place, "acceptDispute", { disputeId }, note), onDone);
  const sum = sumInWords(disputeAmount, i18n.language);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        accept.mutate(fieldsOf(event.currentTarget, ["note"]).note);
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
