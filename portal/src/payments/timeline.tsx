import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";
import { Moment } from "../components/moment.tsx";
import { Sum } from "../components/sum.tsx";

type PaymentView = Views["payment"]["response"];
type Item = PaymentView["timeline"][number];
type Posting = PaymentView["ledger"][number];

/** Past events with their ledger postings as double entries, and scheduled jobs below. */
export function Timeline({
  timeline,
  planned,
  ledger,
}: Pick<PaymentView, "timeline" | "planned" | "ledger">): ReactNode {
  const { t } = useTranslation();
  return (
    <ol className="timeline">
      {withoutRepeats(timeline).map((item, index) => (
        // Two events of a record can have the same millisecond.
        <li key={`${item.time} ${item.subjectId} ${index}`} data-kind={item.kind}>
          {item.kind === "ledger" ? (
            <LedgerPostings postings={ledger.filter((each) => belongsTo(each, item))} />
          ) : (
            <TimelineEvent item={item} />
          )}
          <Moment at={item.time} />
        </li>
      ))}
      {planned.map(({ job, subjectId, dueTime, attempts }) => (
        <li key={`${job} ${subjectId}`} data-kind="planned">
          <div>
            <strong>{t("timeline.planned")}</strong> <code>{job}</code>
          </div>
          <div className="timeline-detail">{t("timeline.attempts", { number: attempts })}</div>
          {dueTime && <Moment at={dueTime} />}
        </li>
      ))}
    </ol>
  );
}

function TimelineEvent({ item }: { readonly item: Item }): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <div>
        <strong>{t(`timeline.${item.kind}`)}</strong> <code>{item.what}</code> <Sum amount={item.amount} />
      </div>
      {item.detail && <div className="timeline-detail">{item.detail}</div>}
    </>
  );
}

function belongsTo(posting: Posting, { subjectId, what }: Item): boolean {
  return posting.subjectId === subjectId && posting.effect === what;
}

/** A posting with several lines, such as a payment and its fee, is one event. */
function withoutRepeats(timeline: readonly Item[]): readonly Item[] {
  const isSame = (left: Item, right: Item): boolean =>
    left.kind === "ledger" &&
    right.kind === "ledger" &&
    left.subjectId === right.subjectId &&
    left.what === right.what;
  return timeline.filter((item, index) => !timeline.slice(0, index).some((earlier) => isSame(earlier, item)));
}

/** Each line has one amount, so debit and credit are equal. */
function LedgerPostings({ postings }: { readonly postings: readonly Posting[] }): ReactNode {
  const { t } = useTranslation();
  const [first] = postings;
  return (
    <div className="booked">
      <strong>{t("timeline.ledger")}</strong> {first && t(`payment.effect.${first.effect}`)}
      <table>
        <thead>
          <tr>
            <th>{t("ledger.account")}</th>
            <th>{t("ledger.debit")}</th>
            <th>{t("ledger.credit")}</th>
          </tr>
        </thead>
        {postings.map(({ debitAccount, creditAccount, amount }, index) => (
          // A line has no id, so the index is part of the key.
          <tbody key={`${debitAccount} ${creditAccount} ${index}`}>
            <tr>
              <td>{debitAccount}</td>
              <td>
                <Sum amount={amount} />
              </td>
              <td />
            </tr>
            <tr>
              <td>{creditAccount}</td>
              <td />
              <td>
                <Sum amount={amount} />
              </td>
            </tr>
          </tbody>
        ))}
      </table>
    </div>
  );
}
