import { Button, List, Modal, Stack, Text, TextInput } from "@mantine/core";
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
import { areSubmittable, EvidenceDocuments, toRequest, type ChosenDocument } from "./evidence-documents.tsx";
import { saveDocument } from "./save-document.ts";

interface Props {
  readonly scope: ClientScope;
  readonly view: Views["dispute"]["response"];
}

/** Submits documents as evidence. The gateway decides whether it is possible and the maximum size. */
export function DefendDispute({ scope, view }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const isPermitted = useCan(scope.environment)("disputes.answer");
  const { whyNotDefend } = view.dispute;
  return (
    <PageAction
      name={t("disputes.defend")}
      onSelect={open}
      disabledReason={
        whyNotDefend ? t(`disputes.whyNot.${whyNotDefend}`) : isPermitted ? undefined : t("disputes.mayNot")
      }
      isPrimary
    >
      <Modal opened={isOpen} onClose={close} title={t("disputes.defendTitle")} centered size="lg">
        <DefendForm scope={scope} view={view} onDone={close} />
      </Modal>
    </PageAction>
  );
}

const helps = ["order", "delivery", "messages", "terms"] as const;

function DefendForm({ scope, view, onDone }: Props & { readonly onDone: () => void }): ReactNode {
  const { t } = useTranslation();
  const [documents, setDocuments] = useState<readonly ChosenDocument[]>([]);
  const { disputeId } = view.dispute;
  const letter = useAct(() => saveDocument(scope, disputeId, "LETTER"));
  const defend = useAct(async (note: string) => {
    const request = await toRequest(documents);
    if (request) await performAct(scope, "supplyDefenseDocument", { disputeId, ...request }, note);
  }, onDone);
  const isSubmittable = areSubmittable(view, documents);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isSubmittable) defend.mutate(readFields(event.currentTarget, ["note"]).note);
      }}
    >
      <Stack>
        <Text>{t("disputes.defendLede")}</Text>
        <div>
          <Text fw={600}>{t("disputes.helpsTitle")}</Text>
          <List size="sm">
            {helps.map((each) => (
              <List.Item key={each}>{t(`disputes.helps.${each}`)}</List.Item>
            ))}
          </List>
        </div>
        <div>
          <Button variant="default" size="xs" onClick={() => letter.mutate()} loading={letter.isPending}>
            {t("disputes.letter")}
          </Button>
          <Text size="sm" c="dimmed" mt={4}>
            {t("disputes.letterMeans")}
          </Text>
        </div>
        <Failure error={letter.error ?? defend.error} />
        <EvidenceDocuments
          view={view}
          documents={documents}
          onChange={(chosen) => {
            defend.reset();
            setDocuments(chosen);
          }}
        />
        <TextInput
          name="note"
          label={t("disputes.why")}
          description={t("disputes.whyHint")}
          maxLength={256}
        />
        <Button type="submit" loading={defend.isPending} disabled={!isSubmittable}>
          {t("disputes.handIn")}
        </Button>
      </Stack>
    </form>
  );
}
