import { Button, FileInput, Group, List, NativeSelect, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useTranslate, type Translate } from "../languages/use-translate.ts";
import { formatFileSize } from "../components/format-file-size.ts";
import { englishDisputes } from "../languages/english-disputes.ts";
import type { Acts, Views } from "../generated/console.ts";

type EvidenceType = NonNullable<Acts["supplyDefenseDocument"]["request"]["evidenceType"]>;

/** A chosen file with its type of evidence. */
export interface ChosenDocument {
  readonly file: File;
  readonly type: EvidenceType;
}

type DisputeView = Views["dispute"]["response"];

interface Props {
  readonly view: DisputeView;
  readonly documents: readonly ChosenDocument[];
  readonly onChange: (documents: readonly ChosenDocument[]) => void;
}

/** The types of evidence, in the order of the list. */
const evidenceTypes = Object.keys(englishDisputes.evidence) as readonly EvidenceType[];

/** The documents of a defense: the wanted types of evidence, the chosen files with their types, and a field for more. */
export function EvidenceDocuments({ view, documents, onChange }: Props): ReactNode {
  const t = useTranslate();
  const { i18n } = useTranslation();
  const { evidenceBytesMax, documentsBytesMax, documentsMax, dispute } = view;
  const size = (bytes: number): string => formatFileSize(bytes, i18n.language);
  const add = (files: readonly File[]): void =>
    onChange(files.reduce((chosen, file) => addDocument(chosen, file, dispute.wantedEvidence), documents));
  return (
    <Stack>
      <WantedEvidence wanted={dispute.wantedEvidence ?? []} documents={documents} />
      <FileInput
        label={t("disputes.file")}
        description={t("disputes.fileHint", {
          size: size(evidenceBytesMax),
          together: size(documentsBytesMax),
          count: documentsMax,
        })}
        placeholder={t("disputes.choose")}
        accept=".pdf,.doc,.docx,.zip,.jpg,.jpeg"
        value={[]}
        onChange={add}
        error={findProblem(view, documents, t, size)}
        multiple
      />
      <ChosenDocuments documents={documents} onChange={onChange} />
    </Stack>
  );
}

/** The chosen files, each with its type and a button that removes it. */
function ChosenDocuments({ documents, onChange }: Pick<Props, "documents" | "onChange">): ReactNode {
  const t = useTranslate();
  const { i18n } = useTranslation();
  if (documents.length === 0) return undefined;
  return (
    <ul className="rows">
      {documents.map(({ file, type }, index) => (
        // The same file can be chosen twice.
        <li key={`${file.name} ${index}`} className="row row-acts">
          <span className="row-what">
            <strong>{file.name}</strong> {formatFileSize(file.size, i18n.language)}
          </span>
          <Group gap="xs" wrap="nowrap">
            <NativeSelect
              size="xs"
              aria-label={t("disputes.typeOf", { name: file.name })}
              value={type}
              data={evidenceTypes.map((value) => ({ value, label: t(`disputes.evidence.${value}`) }))}
              onChange={({ currentTarget: { value } }) =>
                onChange(documents.with(index, { file, type: value as EvidenceType }))
              }
            />
            <Button
              variant="default"
              size="xs"
              aria-label={t("disputes.removeNamed", { name: file.name })}
              onClick={() => onChange(documents.toSpliced(index, 1))}
            >
              {t("disputes.remove")}
            </Button>
          </Group>
        </li>
      ))}
    </ul>
  );
}

/** The wanted types of evidence, and which of them the chosen documents have. */
function WantedEvidence({
  wanted,
  documents,
}: Pick<Props, "documents"> & { readonly wanted: readonly EvidenceType[] }): ReactNode {
  const { t } = useTranslation();
  if (wanted.length === 0) return undefined;
  const isChosen = (type: EvidenceType): boolean => documents.some((each) => each.type === type);
  return (
    <div>
      <Text fw={600}>
        {t("disputes.wanted", { chosen: wanted.filter(isChosen).length, count: wanted.length })}
      </Text>
      <List size="sm" aria-label={t("disputes.wantedTypes")}>
        {wanted.map((type) => (
          <List.Item key={type} icon={<span aria-hidden>{isChosen(type) ? "✓" : "○"}</span>}>
            {t(isChosen(type) ? "disputes.wantedChosen" : "disputes.wantedMissing", {
              type: t(`disputes.evidence.${type}`),
            })}
          </List.Item>
        ))}
      </List>
    </div>
  );
}

/** Whether the documents can be submitted. The gateway checks the same limits. */
export function areSubmittable(view: DisputeView, documents: readonly ChosenDocument[]): boolean {
  const bytes = documents.reduce((sum, { file }) => sum + file.size, 0);
  return (
    documents.length > 0 &&
    documents.length <= view.documentsMax &&
    bytes <= view.documentsBytesMax &&
    documents.every(({ file }) => file.size <= view.evidenceBytesMax)
  );
}

function findProblem(
  view: DisputeView,
  documents: readonly ChosenDocument[],
  t: Translate,
  size: (bytes: number) => string,
): string | undefined {
  if (documents.length === 0 || areSubmittable(view, documents)) return undefined;
  if (documents.length > view.documentsMax) return t("disputes.tooMany", { count: view.documentsMax });
  const large = documents.find(({ file }) => file.size > view.evidenceBytesMax)?.file;
  if (large) return t("disputes.tooLarge", { name: large.name, size: size(large.size) });
  const bytes = documents.reduce((sum, { file }) => sum + file.size, 0);
  return t("disputes.tooLargeTogether", { size: size(bytes) });
}

/** Adds a file with the first wanted type of evidence that no document has. */
function addDocument(
  documents: readonly ChosenDocument[],
  file: File,
  wanted: readonly EvidenceType[] = [],
): readonly ChosenDocument[] {
  const missing = wanted.find((type) => documents.every((each) => each.type !== type));
  return [...documents, { file, type: missing ?? "OTHER" }];
}

/** Returns the documents as `supplyDefenseDocument` takes them; undefined if there are none. */
export async function toRequest(
  documents: readonly ChosenDocument[],
): Promise<Omit<Acts["supplyDefenseDocument"]["request"], "disputeId"> | undefined> {
  const encoded = documents.map(async ({ file, type: evidenceType }) => ({
    disputeEvidence: await toBase64(file),
    evidenceType,
  }));
  const [first, ...furtherDocuments] = await Promise.all(encoded);
  return first && { ...first, ...(furtherDocuments.length > 0 && { furtherDocuments }) };
}

async function toBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
