import { Button, FileButton, Group, NativeSelect, Text, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { createRefusal } from "../api/refusal-error.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";
import type { Review } from "./review.ts";

type ReviewDocument = Review["documents"][number];
type DocumentSubject = ReviewDocument["shows"];

const showings = [
  "registration",
  "identity",
  "address",
  "other",
] as const satisfies readonly DocumentSubject[];

interface Props {
  readonly review: Pick<Review, "documents" | "documentBytesMax">;
  readonly isOpen: boolean;
}

export function ReviewDocuments({ review, isOpen }: Props): ReactNode {
  const { t, i18n } = useTranslation();
  const { documents, documentBytesMax } = review;
  const size = sizeIn(i18n.language, documentBytesMax);
  const remove = useAct((documentId: string) =>
    requestAccounts("POST /accounts/review/documents/remove", { documentId }),
  );
  return (
    <section aria-labelledby="papers">
      <Title order={2} size="h4" id="papers">
        {t("live.papers")}
      </Title>
      <Text c="dimmed" mb="sm">
        {t("live.papersLede", { size })}
      </Text>
      <Failure error={remove.error} />
      <ul className="rows">
        {documents.length === 0 && <li className="row row-acts">{t("live.noPapers")}</li>}
        {documents.map((document) => (
          <DocumentRow
            key={document.documentId}
            document={document}
            onRemove={isOpen ? () => remove.mutate(document.documentId) : undefined}
          />
        ))}
      </ul>
      {isOpen && <AddDocument documents={documents} bytesMax={documentBytesMax} size={size} />}
    </section>
  );
}

interface DocumentRowProps {
  readonly document: ReviewDocument;
  readonly onRemove: (() => void) | undefined;
}

function DocumentRow({ document, onRemove }: DocumentRowProps): ReactNode {
  const { t, i18n } = useTranslation();
  const { name, shows, bytes, uploadedAt } = document;
  return (
    <li className="row row-acts">
      <span className="row-what">
        <strong>{t(`live.showing.${shows}`)}</strong>
        <small>
          {name} · {sizeIn(i18n.language, bytes)} · <Moment at={uploadedAt} />
        </small>
      </span>
      {onRemove && (
        <Button variant="default" size="xs" onClick={onRemove} aria-label={t("live.removeNamed", { name })}>
          {t("live.remove")}
        </Button>
      )}
    </li>
  );
}

interface AddDocumentProps {
  readonly documents: readonly ReviewDocument[];
  readonly bytesMax: number;
  readonly size: string;
}

function AddDocument({ documents, bytesMax, size }: AddDocumentProps): ReactNode {
  const { t } = useTranslation();
  // The first missing type of document is preselected.
  const firstMissing = showings.find((each) => documents.every(({ shows }) => shows !== each)) ?? "other";
  const [selected, setSelected] = useState<DocumentSubject>();
  const shows = selected ?? firstMissing;
  const add = useAct(
    async (file: File) => {
      const { name } = file;
      // The maximum size comes from the server. An upload that is too large is cut off without a readable error.
      if (file.size > bytesMax) throw createRefusal("TOO_LARGE", t("live.tooLarge", { name, size }));
      const content = await encodeBase64(file);
      return requestAccounts("POST /accounts/review/documents", { shows, name: sanitizeName(name), content });
    },
    () => setSelected(undefined),
  );
  return (
    <>
      <Failure error={add.error} />
      <Group align="flex-end" mt="sm">
        <NativeSelect
          label={t("live.shows")}
          value={shows}
          onChange={({ currentTarget: { value } }) => setSelected(value as DocumentSubject)}
          data={showings.map((value) => ({ value, label: t(`live.showing.${value}`) }))}
        />
        <FileButton
          onChange={(file) => file && add.mutate(file)}
          accept="application/pdf,image/png,image/jpeg"
          key={documents.length}
        >
          {(props) => (
            <Button {...props} variant="default" loading={add.isPending}>
              {t("live.choose")}
            </Button>
          )}
        </FileButton>
      </Group>
    </>
  );
}

/** `sanitizeName` makes a file name safe for lists and emails: one line, without brackets. */
function sanitizeName(name: string): string {
  return name.replaceAll(/[\p{Cc}<>]/gu, "_").slice(0, 100);
}

async function encodeBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

function sizeIn(language: string, bytes: number): string {
  const isLarge = bytes >= 1024 ** 2;
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: isLarge ? "megabyte" : "kilobyte",
    maximumFractionDigits: 1,
  }).format(bytes / (isLarge ? 1024 ** 2 : 1024));
}
