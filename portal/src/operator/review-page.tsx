import { Button, Group, List, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import type { Routes } from "../generated/accounts.ts";
import { BusinessFacts } from "../go-live/business-facts.tsx";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { saveFile } from "../components/save-file.ts";
import { ActButton } from "./act-button.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Review = Routes["GET /accounts/merchants/review"]["response"];
type Status = Review["status"];

/**
 * A merchant's business details and documents, and the decision. Opening the page is written to the merchant's audit
 * log.
 */
export function ReviewPage(): ReactNode {
  const { t } = useConsoleTexts();
  const { organisationId = "" } = useParams({ strict: false }) as { readonly organisationId?: string };
  const { data, error } = useQuery({
    queryKey: ["review", organisationId],
    queryFn: () => requestAccounts("GET /accounts/merchants/review", { organisationId }),
    // Each page view writes a row to the audit log, so the data is reloaded only after a decision and not by a timer.
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
          <ReviewDocuments review={data} />
          <ReviewPeople review={data} />
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
  const { t } = useConsoleTexts();
  return (
    <span className="status" data-tone={tones[status]}>
      {t(`reviews.status.${status}`)}
    </span>
  );
}

interface Props {
  readonly review: Review;
}

/**
 * The decision is about the version that was shown. If the merchant has submitted again since, accounts reject the
 * decision.
 */
function Decision({
  review: { name, status, submission },
  organisationId,
}: Props & { readonly organisationId: string }): ReactNode {
  const { t } = useConsoleTexts();
  const disabled = !useCan("live")("merchants.review");
  if (status !== "submitted") return undefined;
  return (
    <>
      <ActButton
        label={t("reviews.approve")}
        about={name}
        consequence={t("reviews.approveMeans", { name })}
        disabled={disabled}
        act={(reason) =>
          requestAccounts("POST /accounts/merchants/approve", { organisationId, submission, reason })
        }
      />
      <ActButton
        label={t("reviews.refuse")}
        about={name}
        consequence={t("reviews.refuseMeans", { name })}
        isDestructive
        disabled={disabled}
        act={(reason) =>
          requestAccounts("POST /accounts/merchants/refuse", { organisationId, submission, reason })
        }
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

function ReviewDocuments({ review: { documents } }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const { t: shared } = useTranslation();
  const isPermitted = useCan("live")("merchants.review");
  const save = useAct((documentId: string) => saveReviewDocument(documentId));
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
                  disabled={!isPermitted}
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

/** `saveReviewDocument` downloads an untrusted file. It is never rendered in our pages. */
async function saveReviewDocument(documentId: string): Promise<void> {
  const { name, content } = await requestAccounts("GET /accounts/merchants/document", { documentId });
  const bytes = Uint8Array.from(atob(content), (letter) => letter.codePointAt(0) ?? 0);
  saveFile(name, bytes, "application/octet-stream");
}

function ReviewPeople({ review: { people } }: Props): ReactNode {
  const { t } = useConsoleTexts();
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
