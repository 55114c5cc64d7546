import { Button, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { findOrganisation, useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";

interface Props {
  readonly personId: string;
  readonly name: string;
}

export function VouchButton({ personId, name }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const title = t("recovery.helpNamed", { name });
  return (
    <>
      <Button variant="subtle" size="xs" onClick={open} aria-label={title}>
        {t("recovery.help")}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} centered>
        <Vouch personId={personId} name={name} />
      </Modal>
    </>
  );
}

/** The form for the first of two people who vouch. The person gets the code by email after the second has vouched. */
function Vouch({ personId, name }: Props): ReactNode {
  const { t } = useTranslation();
  const me = useMe();
  const isStaff = findOrganisation(me)?.kind === "staff";
  const vouch = useAct((reason: string) =>
    requestAccounts("POST /accounts/recoveries", { personId, reason }),
  );
  if (vouch.data)
    return (
      <Text role="status" className="row-what">
        {t(isStaff ? "recovery.needsSecondAdmin" : "recovery.needsSecond", { name })}
      </Text>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        vouch.mutate(readFields(event.currentTarget, ["reason"]).reason);
      }}
    >
      <Stack>
        <Text>{t(isStaff ? "recovery.helpMeansStaff" : "recovery.helpMeans", { name })}</Text>
        <Failure error={vouch.error} />
        <Textarea
          name="reason"
          label={t("recovery.reason")}
          maxLength={500}
          autosize
          required
          data-autofocus
        />
        <Button type="submit" loading={vouch.isPending}>
          {t("recovery.vouch", { name })}
        </Button>
      </Stack>
    </form>
  );
}
