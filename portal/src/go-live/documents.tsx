import { Button, FileButton, Group, NativeSelect, Text, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { refused } from "../api/refusal-error.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";
import type { Review } from "./review.ts";

type Paper = Review["documents"][number];
type Showing = Paper["shows"];

const showings = ["registration", "identity", "address", "other"] as const satisfies readonly Showing[];

interface Props {
  readonly review: Pick<Review, "documents" | "documentBytesMax">;
  readonly isOpen: boolean;
}

export function Papers({ review, isOpen }: Props): ReactNode {
  const { t, i18n } = useTranslation();
  const { documents, documentBytesMax } = review;
  const size = sizeIn(i18n.language, documentBytesMax);
  const remove = useAct((documentId: string) =>
    ask("POST /accounts/review/documents/remove", { documentId }),
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
        {documents.map((paper) => (
          <PaperRow
            key={paper.documentId}
            paper={paper}
            onRemove={isOpen ? () => remove.mutate(paper.documentId) : undefined}
          />
        ))}
      </ul>
      {isOpen && <AddPaper documents={documents} bytesMax={documentBytesMax} size={size} />}
    </section>
  );
}

interface PaperRowProps {
  readonly paper: Paper;
  readonly onRemove: (() => void) | undefined;
}

function PaperRow({ paper, onRemove }: PaperRowProps): ReactNode {
  const { t, i18n } = useTranslation();
  const { name, shows, bytes, uploadedAt } = paper;
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

interface AddPaperProps {
  readonly documents: readonly Paper[];
  readonly bytesMax: number;
  readonly size: string;
}

function AddPaper({ documents, bytesMax, size }: AddPaperProps): ReactNode {
  const { t } = useTranslation();
  // The first missing type of document is preselected.
  const first = showings.find((each) => documents.every(({ shows }) => shows !== each)) ?? "other";
  const [chosen, setChosen] = useState<Showing>();
  const shows = chosen ?? first;
  const add = useAct(
    async (file: File) => {
      const { name } = file;
      // The maximum size comes from the server. An upload that is too large is cut off without a readable error.
      if (file.size > bytesMax) throw refused("TOO_LARGE", t("live.tooLarge", { name, size }));
      const content = await base64Of(file);
      return ask("POST /accounts/review/documents", { shows, name: nameOf(name), content });
    },
    () => setChosen(undefined),
  );
  return (
    <>
      <Failure error={add.error} />
      <Group align="flex-end" mt="sm">
        <NativeSelect
          label={t("live.shows")}
          value={shows}
          onChange={({ currentTarget: { value } }) => setChosen(value as Showing)}
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

/** `nameOf` makes a file name safe for lists and emails: one line, without brackets. */
function nameOf(name: string): string {
  return name.replaceAll(/[\p{Cc}<>]/gu, "_").slice(0, 100);
}

async function base64Of(file: File): Promise<string> {
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
