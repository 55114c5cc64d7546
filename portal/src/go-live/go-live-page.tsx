import { Alert, Button, List, Stack, Text, Title } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { useCan, useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkButton } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { BusinessFacts } from "./business-facts.tsx";
import { BusinessForm } from "./business-form.tsx";
import { ReviewDocuments } from "./documents.tsx";
import type { Review } from "./review.ts";

/** The page of live before it is available: the required data and the status of the review. */
export function GoLivePage(): ReactNode {
  const { t } = useTranslation();
  const isPermitted = useCan("live")("live.prepare");
  return (
    <>
      <PageHead title={t("live.title")} lede={t("live.lede")} />
      {isPermitted ? (
        <Preparation />
      ) : (
        <EmptyState icon="security" title={t("live.mayNotTitle")} lede={t("live.mayNot")}>
          <LinkButton to="/$environment" params={{ environment: "sandbox" }} variant="default">
            {t("live.toSandbox")}
          </LinkButton>
        </EmptyState>
      )}
    </>
  );
}

function Preparation(): ReactNode {
  const { organisationId } = useMe();
  const review = useSuspenseQuery({
    queryKey: ["review", organisationId],
    queryFn: () => requestAccounts("GET /accounts/review", {}),
  }).data;
  const isOpen = review.status === "draft" || review.status === "refused";
  return (
    <Stack gap="xl" maw="44rem">
      <Progress review={review} />
      {isOpen ? <BusinessForm business={review.business} /> : <BusinessFacts business={review.business} />}
      <ReviewDocuments review={review} isOpen={isOpen} />
      {isOpen && <RequestReview missing={review.missing} />}
    </Stack>
  );
}

function Progress({ review }: { readonly review: Review }): ReactNode {
  const { t } = useTranslation();
  const canRequest = useCan("live")("live.ask");
  const withdraw = useAct(() => requestAccounts("POST /accounts/review/withdraw", {}));
  const { status, reason, submittedAt, decidedAt } = review;
  if (status === "draft") return undefined;
  const at = status === "submitted" ? submittedAt : decidedAt;
  return (
    <Alert className="review-state" data-status={status} title={t(`live.${status}Title`)} role="status">
      <Stack gap="xs" align="flex-start">
        {status === "refused" && <Text className="said">{reason}</Text>}
        <Text size="sm">
          {t(`live.${status}`)} {at && <Moment at={at} />}
        </Text>
        <Failure error={withdraw.error} />
        {status === "submitted" && canRequest && (
          <Button variant="default" size="xs" onClick={() => withdraw.mutate()} loading={withdraw.isPending}>
            {t("live.withdraw")}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function RequestReview({ missing }: { readonly missing: Review["missing"] }): ReactNode {
  const { t } = useTranslation();
  const canRequest = useCan("live")("live.ask");
  const submit = useAct(() => requestAccounts("POST /accounts/review/submit", {}));
  return (
    <section aria-labelledby="ask">
      <Title order={2} size="h4" id="ask">
        {t("live.ask")}
      </Title>
      <Text c="dimmed" mb="sm">
        {t("live.askLede")}
      </Text>
      {missing.length > 0 ? (
        <>
          <Text size="sm">{t("live.missing")}</Text>
          <List size="sm" mb="sm">
            {missing.map((gap) => (
              <List.Item key={gap}>{t(`live.gaps.${gap}`)}</List.Item>
            ))}
          </List>
        </>
      ) : (
        <Text size="sm" mb="sm">
          {t("live.complete")}
        </Text>
      )}
      <Failure error={submit.error} />
      {canRequest && missing.length === 0 && (
        <Button onClick={() => submit.mutate()} loading={submit.isPending}>
          {t("live.submit")}
        </Button>
      )}
      {!canRequest && (
        <Text size="sm" mt="xs">
          {t("live.ownersAsk")}
        </Text>
      )}
    </section>
  );
}
