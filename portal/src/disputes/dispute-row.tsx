import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import type { Views } from "../generated/console.ts";
import { Moment } from "../components/moment.tsx";
import { Sum } from "../components/sum.tsx";
import { disputeLabel } from "./dispute-label.ts";
import { TimeLeft } from "./time-left.tsx";

export type Dispute = Views["disputes"]["response"]["disputes"][number];

interface Props {
  readonly scope: ClientScope;
  readonly dispute: Dispute;
}

/** A dispute in a list. The whole row is a link. */
export function DisputeRow({ scope: { environment }, dispute }: Props): ReactNode {
  const { t } = useTranslation();
  const { disputeId, disputeAmount, disputeType, reasonMessage, createdTime } = dispute;
  return (
    <li>
      <Link className="row" to="/$environment/disputes/$disputeId" params={{ environment, disputeId }}>
        <span className="row-sum">
          <Sum amount={disputeAmount} />
        </span>
        <DisputeBadge dispute={dispute} />
        <span className="row-what">
          {reasonMessage || t(`disputes.type.${disputeType}`)}
          <small>{t(`disputes.type.${disputeType}`)}</small>
        </span>
        <span className="row-when">
          {dispute.secondsToAnswer === undefined ? (
            <Moment at={createdTime} />
          ) : (
            <TimeLeft seconds={dispute.secondsToAnswer} />
          )}
        </span>
      </Link>
    </li>
  );
}

/** The status of a dispute, or its decision. */
export function DisputeBadge({ dispute }: Pick<Props, "dispute">): ReactNode {
  const { t } = useTranslation();
  const { key, tone } = disputeLabel(dispute);
  return (
    <span className="status" data-tone={tone}>
      {t(key)}
    </span>
  );
}
