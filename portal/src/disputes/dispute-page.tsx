import { Alert, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { whileActive } from "../api/idle-refresh.ts";
import { askView, type Place } from "../api/console.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { PaymentStatusBadge } from "../components/payment-status-badge.tsx";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Facts } from "../components/facts.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { formatFileSize } from "../components/format-file-size.ts";
import { useTranslate, type Say } from "../languages/use-translate.ts";
import { Sum } from "../components/sum.tsx";
import { Accept } from "./accept.tsx";
import { Defend } from "./defend.tsx";
import { isAnswerable } from "./dispute-label.ts";
import { DisputeBadge } from "./dispute-row.tsx";
import { saveDocument } from "./save-document.ts";
import { TimeLeft } from "./time-left.tsx";

type Shown = Views["dispute"]["response"];

export function DisputePage(): ReactNode {
  const { t } = useTranslation();
  const { environment, disputeId } = useParams({ from: "/shell/$environment/disputes/$disputeId" });
  return (
    <>
      <LinkAnchor to="/$environment/disputes" params={{ environment }} size="sm" className="back">
        ← {t("disputes.title")}
      </LinkAnchor>
      <PageHead title={t("disputes.one")} lede={<span className="id">{disputeId}</span>} />
      <WithClient environment={environment}>{(place) => <Dispute place={place} id={disputeId} />}</WithClient>
    </>
  );
}

function Dispute({ place, id }: { readonly place: Place; readonly id: string }): ReactNode {
  const shown = useQuery({
    queryKey: ["dispute", place, id],
    queryFn: () => askView(place, "dispute", { id }),
    refetchInterval: whileActive(3_000),
  });
  if (shown.error) return <Failure error={shown.error} />;
  if (!shown.data) return <Skeleton height={320} />;
  return (
    <Stack gap="xl">
      <Summary place={place} shown={shown.data} />
      <Payment place={place} payment={shown.data.payment} />
      {shown.data.documents.length > 0 && <Documents place={place} shown={shown.data} />}
      <History history={shown.data.history} dispute={shown.data.dispute} />
    </Stack>
  );
}

interface Props {
  readonly place: Place;
  readonly shown: Shown;
}

function Summary({ place, shown }: Props): ReactNode {
  const { t } = useTranslation();
  const { dispute } = shown;
  return (
    <section>
      <Group align="center" gap="sm" mb="sm">
        <Text className="big-sum">
          <Sum amount={dispute.disputeAmount} />
        </Text>
        <DisputeBadge dispute={dispute} />
        {dispute.secondsToAnswer !== undefined && <TimeLeft seconds={dispute.secondsToAnswer} />}
      </Group>
      <Text mb="md">
        <strong>{t(`disputes.type.${dispute.disputeType}`)}.</strong>{" "}
        {t(`disputes.typeMeans.${dispute.disputeType}`)}
        {isAnswerable(dispute) && ` ${t(`disputes.typeAsks.${dispute.disputeType}`)}`}
      </Text>
      {dispute.answerUnderWay && (
        <Alert variant="light" mb="md" role="status">
          {t(`disputes.underWay.${dispute.answerUnderWay}`)}
        </Alert>
      )}
      {!shown.resolvedTime && (
        <Group mb="lg" gap="sm">
          <Defend place={place} shown={shown} />
          <Accept place={place} dispute={dispute} />
        </Group>
      )}
      <Facts facts={factsOf(shown, useTranslate())} />
    </section>
  );
}

function factsOf(shown: Shown, t: Say): readonly [string, ReactNode][] {
  const { dispute } = shown;
  const { acceptReason } = dispute;
  // With the reason TIMEOUT, the provider confirms a loss that the merchant has not answered.
  const isAnswered = acceptReason !== "TIMEOUT";
  const at = (time: string | undefined): ReactNode => time && <Moment at={time} />;
  return [
    [t("disputes.deadline"), at(dispute.defenseDueTime)],
    [t("disputes.reason"), [dispute.reasonCode, dispute.reasonMessage].filter(Boolean).join(": ")],
    [t("disputes.source"), shown.source],
    [t("disputes.began"), at(dispute.createdTime)],
    [t("disputes.frozen"), dispute.frozenAmount && <Sum amount={dispute.frozenAmount} />],
    [t("disputes.debited"), dispute.debitedAmount && <Sum amount={dispute.debitedAmount} />],
    [t("disputes.autoDefended"), shown.autoDefendReason],
    [t("disputes.answered"), isAnswered && at(shown.answeredTime)],
    [
      t(isAnswered ? "disputes.acceptedFor" : "disputes.lostFor"),
      acceptReason && t(`disputes.acceptReason.${acceptReason}`),
    ],
    [t("disputes.judged"), at(shown.judgedTime)],
    [t("disputes.judgedAmount"), shown.judgedAmount && <Sum amount={shown.judgedAmount} />],
    [t("disputes.over"), at(shown.resolvedTime)],
  ];
}

function Payment({ place, payment }: Pick<Shown, "payment"> & { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const { environment } = place;
  const { paymentId, paymentRequestId, paymentAmount, orderDescription, paymentTime } = payment;
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t("disputes.payment")}
      </Title>
      <Group gap="sm" mb="sm">
        <strong>
          <Sum amount={paymentAmount} />
        </strong>
        <PaymentStatusBadge status={payment.displayStatus} />
        <LinkAnchor to="/$environment/payments/$paymentId" params={{ environment, paymentId }}>
          {t("disputes.toPayment")}
        </LinkAnchor>
      </Group>
      <Facts
        facts={[
          [t("payment.texts.referenceOrderId"), payment.referenceOrderId],
          [t("payment.texts.orderDescription"), orderDescription],
          [t("payment.request"), paymentRequestId],
          [t("payment.paid"), paymentTime && <Moment at={paymentTime} />],
          [t("payment.refunded"), payment.refundedAmount && <Sum amount={payment.refundedAmount} />],
        ]}
      />
    </section>
  );
}

/** Submitted documents with their digests, which prove later what the provider received. */
function Documents({ place, shown: { documents, dispute } }: Props): ReactNode {
  const { t, i18n } = useTranslation();
  const may = useCan(place.environment)("disputes.answer");
  const save = useAct(() => saveDocument(place, dispute.disputeId, "HANDED_IN"));
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t("disputes.documents")}
      </Title>
      <Failure error={save.error} />
      <ul className="rows">
        {documents.map(({ number, format, bytes, sha256, time }) => (
          <li key={number} className="row row-acts">
            <span className="row-what">
              <strong>{t("disputes.document", { number })}</strong> {format} ·{" "}
              {formatFileSize(bytes, i18n.language)}
              <small>
                <Moment at={time} />
              </small>
              <small className="id">sha256 {sha256}</small>
            </span>
            {number === documents.length && (
              <Button
                variant="default"
                size="xs"
                disabled={!may}
                loading={save.isPending}
                onClick={() => save.mutate()}
                aria-label={t("disputes.saveNamed", { number })}
              >
                {t("disputes.save")}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function History({ history, dispute }: Pick<Shown, "history" | "dispute">): ReactNode {
  const { t } = useTranslation();
  const nameOf = ({ disputeStatus, disputeNotificationType: news }: Shown["history"][number]): string => {
    if (disputeStatus === "ACCEPTED" && dispute.acceptReason === "TIMEOUT") return t("disputes.notAnswered");
    return news ? t(`disputes.news.${news}`) : t(`disputes.status.${disputeStatus}`);
  };
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t("disputes.history")}
      </Title>
      <ol className="timeline">
        {history.map((event, index) => (
          // Two events can have the same millisecond.
          <li key={`${event.time} ${index}`} data-kind="payment">
            <div>
              <strong>{nameOf(event)}</strong>
            </div>
            <Moment at={event.time} />
          </li>
        ))}
      </ol>
    </section>
  );
}
