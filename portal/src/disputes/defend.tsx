import { Button, FileInput, List, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, type Place } from "../api/console.ts";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { fieldsOf } from "../components/fields-of.ts";
import { formatFileSize } from "../components/format-file-size.ts";
import { Offer } from "../components/page-action.tsx";
import { saveDocument } from "./save-document.ts";

interface Props {
  readonly place: Place;
  readonly shown: Views["dispute"]["response"];
}

/** Submits a document as evidence. The gateway decides whether it is possible and the maximum size. */
export function Defend({ place, shown }: Props): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const may = useCan(place.environment)("disputes.answer");
  const { whyNotDefend } = shown.dispute;
  return (
    <Offer
      name={t("disputes.defend")}
      onChosen={open}
      whyNot={whyNotDefend ? t(`disputes.whyNot.${whyNotDefend}`) : may ? undefined : t("disputes.mayNot")}
      isUsual
    >
      <Modal opened={isOpen} onClose={close} title={t("disputes.defendTitle")} centered size="lg">
        <DefendForm place={place} shown={shown} onDone={close} />
      </Modal>
    </Offer>
  );
}

const helps = ["order", "delivery", "messages", "terms"] as const;

function DefendForm({ place, shown, onDone }: Props & { readonly onDone: () => void }): ReactNode {
  const { t, i18n } = useTranslation();
  const [file, setFile] = useState<File | null>(null);
  const { dispute, evidenceBytesMax } = shown;
  const { disputeId } = dispute;
  const letter = useAct(() => saveDocument(place, disputeId, "LETTER"));
  const defend = useAct(
    async ({ given, note }: { readonly given: File; readonly note: string }) =>
      act(place, "supplyDefenseDocument", { disputeId, disputeEvidence: await toBase64(given) }, note),
    onDone,
  );
  const isTooLarge = file !== null && file.size > evidenceBytesMax;
  const size = (bytes: number): string => formatFileSize(bytes, i18n.language);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (file && !isTooLarge) defend.mutate({ given: file, ...fieldsOf(event.currentTarget, ["note"]) });
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
        <FileInput
          label={t("disputes.file")}
          description={t("disputes.fileHint", { size: size(evidenceBytesMax) })}
          placeholder={t("disputes.choose")}
          accept=".pdf,.doc,.docx,.zip,.jpg,.jpeg"
          value={file}
          onChange={(chosen) => {
            defend.reset();
            setFile(chosen);
          }}
          error={isTooLarge && t("disputes.tooLarge", { size: size(file.size) })}
          clearable
          clearButtonProps={{ "aria-label": t("disputes.clear") }}
          required
        />
        <TextInput
          name="note"
          label={t("disputes.why")}
          description={t("disputes.whyHint")}
          maxLength={256}
        />
        <Button type="submit" loading={defend.isPending} disabled={!file || isTooLarge}>
          {t("disputes.handIn")}
        </Button>
      </Stack>
    </form>
  );
}

async function toBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
