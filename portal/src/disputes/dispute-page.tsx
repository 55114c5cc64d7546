import { Alert, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { queryView, type ClientScope } from "../api/console-requests.ts";
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
import { useTranslate, type Translate } from "../languages/use-translate.ts";
import { Sum } from "../components/sum.tsx";
import { AcceptDispute } from "./accept-dispute.tsx";
import { DefendDispute } from "./defend-dispute.tsx";
import { isAnswerable } from "./dispute-label.ts";
import { DisputeBadge } from "./dispute-row.tsx";
import { saveDocument, type DocumentPlace } from "./save-document.ts";
import { TimeLeft } from "./time-left.tsx";

type DisputeView = Views["dispute"]["response"];

export function DisputePage(): ReactNode {
  const { t } = useTranslation();
  const { environment, disputeId } = useParams({ from: "/shell/$environment/disputes/$disputeId" });
  return (
    <>
      <LinkAnchor to="/$environment/disputes" params={{ environment }} size="sm" className="back">
        ← {t("disputes.title")}
      </LinkAnchor>
      <PageHead title={t("disputes.one")} lede={<span className="id">{disputeId}</span>} />
      <WithClient environment={environment}>{(scope) => <Dispute scope={scope} id={disputeId} />}</WithClient>
    </>
  );
}

function Dispute({ scope, id }: { readonly scope: ClientScope; readonly id: string }): ReactNode {
  const query = useQuery({
    queryKey: ["dispute", scope, id],
    queryFn: () => queryView(scope, "dispute", { id }),
    refetchInterval: intervalWhileActive(3_000),
  });
  if (query.error) return <Failure error={query.error} />;
  if (!query.data) return <Skeleton height={320} />;
  return (
    <Stack gap="xl">
      <Summary scope={scope} view={query.data} />
      <Payment scope={scope} payment={query.data.payment} />
      {query.data.documents.length > 0 && <Documents scope={scope} view={query.data} />}
      <History history={query.data.history} dispute={query.data.dispute} />
    </Stack>
  );
}

interface Props {
  readonly scope: ClientScope;
  readonly view: DisputeView;
}

function Summary({ scope, view }: Props): ReactNode {
  const { t } = useTranslation();
  const { dispute } = view;
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
      {!view.resolvedTime && (
        <Group mb="lg" gap="sm">
          <DefendDispute scope={scope} view={view} />
          <AcceptDispute scope={scope} dispute={dispute} />
        </Group>
      )}
      <Facts facts={buildFacts(view, useTranslate())} />
    </section>
  );
}

function buildFacts(view: DisputeView, t: Translate): readonly [string, ReactNode][] {
  const { dispute } = view;
  const { acceptReason } = dispute;
  // With the reason TIMEOUT, the provider confirms a loss that the merchant has not answered.
  const isAnswered = acceptReason !== "TIMEOUT";
  const at = (time: string | undefined): ReactNode => time && <Moment at={time} />;
  return [
    [t("disputes.deadline"), at(dispute.defenseDueTime)],
    [t("disputes.reason"), [dispute.reasonCode, dispute.reasonMessage].filter(Boolean).join(": ")],
    [t("disputes.source"), view.source],
    [
      t("disputes.wantedTypes"),
      dispute.wantedEvidence?.map((type) => t(`disputes.evidence.${type}`)).join(", "),
    ],
    [t("disputes.began"), at(dispute.createdTime)],
    [t("disputes.frozen"), dispute.frozenAmount && <Sum amount={dispute.frozenAmount} />],
    [t("disputes.debited"), dispute.debitedAmount && <Sum amount={dispute.debitedAmount} />],
    [t("disputes.autoDefended"), view.autoDefendReason],
    [t("disputes.answered"), isAnswered && at(view.answeredTime)],
    [
      t(isAnswered ? "disputes.acceptedFor" : "disputes.lostFor"),
      acceptReason && t(`disputes.acceptReason.${acceptReason}`),
    ],
    [t("disputes.judged"), at(view.judgedTime)],
    [t("disputes.judgedAmount"), view.judgedAmount && <Sum amount={view.judgedAmount} />],
    [t("disputes.over"), at(view.resolvedTime)],
  ];
}

function Payment({
  scope,
  payment,
}: Pick<DisputeView, "payment"> & { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const { environment } = scope;
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
function Documents({ scope, view: { documents, dispute } }: Props): ReactNode {
  const { t, i18n } = useTranslation();
  const isPermitted = useCan(scope.environment)("disputes.answer");
  const save = useAct((place: DocumentPlace) => saveDocument(scope, dispute.disputeId, "HANDED_IN", place));
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t("disputes.documents")}
      </Title>
      <Failure error={save.error} />
      <ul className="rows">
        {documents.map(({ number, position, type, format, bytes, sha256, time }) => (
          <li key={`${number}.${position}`} className="row row-acts">
            <span className="row-what">
              <strong>{t("disputes.document", { number, position })}</strong> {t(`disputes.evidence.${type}`)}{" "}
              · {format} · {formatFileSize(bytes, i18n.language)}
              <small>
                <Moment at={time} />
              </small>
              <small className="id">sha256 {sha256}</small>
            </span>
            <Button
              variant="default"
              size="xs"
              disabled={!isPermitted}
              loading={save.isPending}
              onClick={() => save.mutate({ number, position })}
              aria-label={t("disputes.saveNamed", { number, position })}
            >
              {t("disputes.save")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function History({ history, dispute }: Pick<DisputeView, "history" | "dispute">): ReactNode {
  const { t } = useTranslation();
  const eventName = ({
    disputeStatus,
    disputeNotificationType: news,
  }: DisputeView["history"][number]): string => {
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
              <strong>{eventName(event)}</strong>
            </div>
            <Moment at={event.time} />
          </li>
        ))}
      </ol>
    </section>
  );
}
