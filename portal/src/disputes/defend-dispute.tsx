import { Button, FileInput, List, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, type ClientScope } from "../api/console-requests.ts";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { formatFileSize } from "../components/format-file-size.ts";
import { PageAction } from "../components/page-action.tsx";
import { saveDocument } from "./save-document.ts";

interface Props {
  readonly scope: ClientScope;
  readonly view: Views["dispute"]["response"];
}

/** Submits a document as evidence. The gateway decides whether it is possible and the maximum size. */
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
  const { t, i18n } = useTranslation();
  const [file, setFile] = useState<File | null>(null);
  const { dispute, evidenceBytesMax } = view;
  const { disputeId } = dispute;
  const letter = useAct(() => saveDocument(scope, disputeId, "LETTER"));
  const defend = useAct(
    async ({ input, note }: { readonly input: File; readonly note: string }) =>
      performAct(scope, "supplyDefenseDocument", { disputeId, disputeEvidence: await toBase64(input) }, note),
    onDone,
  );
  const isTooLarge = file !== null && file.size > evidenceBytesMax;
  const size = (bytes: number): string => formatFileSize(bytes, i18n.language);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (file && !isTooLarge) defend.mutate({ input: file, ...readFields(event.currentTarget, ["note"]) });
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
