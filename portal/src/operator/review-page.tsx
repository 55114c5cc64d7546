import { Button, Group, List, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import type { Routes } from "../generated/accounts.ts";
import { BusinessFacts } from "../go-live/business-facts.tsx";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../shell/failure.tsx";
import { Moment } from "../shell/moment.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { saveFile } from "../shell/save-file.ts";
import { ActButton } from "./act-button.tsx";
import { useWords } from "./use-words.ts";

type Review = Routes["GET /accounts/merchants/review"]["response"];
type Status = Review["status"];

/** What a merchant said and sent, and the decision about it. The look is in the merchant's audit. */
export function ReviewPage(): ReactNode {
  const { t } = useWords();
  const { organisationId = "" } = useParams({ strict: false }) as { readonly organisationId?: string };
  const { data, error } = useQuery({
    queryKey: ["review", organisationId],
    queryFn: () => ask("GET /accounts/merchants/review", { organisationId }),
    // Each look is a row in the audit: it is asked for anew by a decision, and not by the clock.
    staleTime: Infinity,
  });
  return (
    <>
      <Failure error={error} />
      {data && (
        <>
          <PageHead title={data.name} lede={<span className="id">{organisationId}</span>}>
            <Group>
              <ReviewStatus status={data.status} />
              <Decision review={data} organisationId={organisationId} />
            </Group>
          </PageHead>
          {data.reason && (
            <Text mb="md">
              {t("reviews.told")} “{data.reason}”
            </Text>
          )}
          <Missing review={data} />
          <BusinessFacts business={data.business} />
          <Papers review={data} />
          <People review={data} />
        </>
      )}
    </>
  );
}

const tones: Readonly<Record<Status, string | undefined>> = {
  draft: undefined,
  submitted: "unknown",
  approved: "happened",
  refused: "refused",
};

export function ReviewStatus({ status }: { readonly status: Status }): ReactNode {
  const { t } = useWords();
  return (
    <span className="status" data-tone={tones[status]}>
      {t(`reviews.status.${status}`)}
    </span>
  );
}

interface Props {
  readonly review: Review;
}

/** About what was seen: if the merchant has submitted again meanwhile, accounts refuse. */
function Decision({
  review: { name, status, submission },
  organisationId,
}: Props & { readonly organisationId: string }): ReactNode {
  const { t } = useWords();
  const disabled = !useCan("live")("merchants.review");
  if (status !== "submitted") return undefined;
  return (
    <>
      <ActButton
        label={t("reviews.approve")}
        about={name}
        means={t("reviews.approveMeans", { name })}
        disabled={disabled}
        act={(reason) => ask("POST /accounts/merchants/approve", { organisationId, submission, reason })}
      />
      <ActButton
        label={t("reviews.refuse")}
        about={name}
        means={t("reviews.refuseMeans", { name })}
        isGrave
        disabled={disabled}
        act={(reason) => ask("POST /accounts/merchants/refuse", { organisationId, submission, reason })}
      />
    </>
  );
}

function Missing({ review: { missing } }: Props): ReactNode {
  const { t } = useTranslation();
  if (missing.length === 0) return undefined;
  return (
    <div>
      <Text>{t("live.missing")}</Text>
      <List mb="md">
        {missing.map((gap) => (
          <List.Item key={gap}>{t(`live.gaps.${gap}`)}</List.Item>
        ))}
      </List>
    </div>
  );
}

function Papers({ review: { documents } }: Props): ReactNode {
  const { t } = useWords();
  const { t: shared } = useTranslation();
  const may = useCan("live")("merchants.review");
  const save = useAct((documentId: string) => savePaper(documentId));
  return (
    <section>
      <Title order={2} size="h4" mt="xl" mb="sm">
        {shared("live.papers")}
      </Title>
      <Failure error={save.error} />
      {documents.length === 0 ? (
        <Text c="dimmed">{shared("live.noPapers")}</Text>
      ) : (
        <ul className="rows">
          {documents.map(({ documentId, shows, name, bytes, sha256, uploadedAt }) => (
            <li key={documentId} className="case">
              <div className="case-words">
                <Text fw={600}>{shared(`live.showing.${shows}`)}</Text>
                <Text size="sm" c="dimmed">
                  {name} · {Math.ceil(bytes / 1024)} KB · <Moment at={uploadedAt} /> ·{" "}
                  <span className="id">{sha256.slice(0, 16)}…</span>
                </Text>
              </div>
              <div className="case-acts">
                <Button
                  variant="default"
                  size="xs"
                  disabled={!may}
                  aria-label={`${t("reviews.save")}: ${name}`}
                  onClick={() => save.mutate(documentId)}
                >
                  {t("reviews.save")}
                </Button>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A stranger's file: it is saved, and never shown in a page of ours. */
async function savePaper(documentId: string): Promise<void> {
  const { name, content } = await ask("GET /accounts/merchants/document", { documentId });
  const bytes = Uint8Array.from(atob(content), (letter) => letter.codePointAt(0) ?? 0);
  saveFile(name, bytes, "application/octet-stream");
}

function People({ review: { people } }: Props): ReactNode {
  const { t } = useWords();
  return (
    <section>
      <Title order={2} size="h4" mt="xl" mb="sm">
        {t("reviews.people")}
      </Title>
      <ul className="rows">
        {people.map(({ name, email, role, since }) => (
          <li key={email} className="case">
            <div className="case-words">
              <Text>
                {name} <span className="id">{email}</span>
              </Text>
              <Text size="sm" c="dimmed">
                {t("board.since")} <Moment at={since} />
              </Text>
            </div>
            <span className="status">{role}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
