import { Code, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";
import { Moment } from "../components/moment.tsx";

type Attempt = Views["notifications"]["response"]["notifications"][number]["attempts"][number];

const steps = ["dnsMs", "connectMs", "tlsMs", "firstByteMs", "totalMs"] as const;

/** All delivery attempts of a webhook, newest first, with result and timings. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }): ReactNode {
  const { t } = useTranslation();
  if (attempts.length === 0) return <Text>{t("notifications.noAttempts")}</Text>;
  return (
    <>
      <Text c="dimmed" mb="sm">
        {t("notifications.stepsLede")}
      </Text>
      <ol className="rows">
        {attempts
          .map((attempt, index) => ({ attempt, number: index + 1 }))
          .toReversed()
          .map(({ attempt, number }) => (
            <AttemptRow key={number} attempt={attempt} number={number} />
          ))}
      </ol>
    </>
  );
}

function AttemptRow({ attempt, number }: { readonly attempt: Attempt; readonly number: number }): ReactNode {
  const { t } = useTranslation();
  const { httpStatus, failure, answer, attemptTime, keyVersion } = attempt;
  const isGood = httpStatus === 200 && failure === undefined;
  return (
    <li className="row row-acts">
      <span className="row-what">
        <strong>{t("notifications.attempt", { number })}</strong>{" "}
        <span className="status" data-tone={isGood ? "happened" : "refused"}>
          {httpStatus === 0 ? t("notifications.notReached") : `HTTP ${httpStatus}`}
        </span>
        {failure && <small>{failure}</small>}
        <Timings attempt={attempt} />
        {answer !== "" && (
          <details className="more">
            <summary>{t("notifications.answered")}</summary>
            <Code block className="command">
              {answer}
            </Code>
          </details>
        )}
      </span>
      <span className="row-when">
        <Moment at={attemptTime} />
        <br />
        {t("notifications.key", { version: keyVersion })}
      </span>
    </li>
  );
}

/** Milliseconds from the start of the attempt to each step. Steps that were not reached are left out. */
function Timings({ attempt }: { readonly attempt: Attempt }): ReactNode {
  const { t } = useTranslation();
  const reachedSteps = steps.flatMap((step) => {
    const ms = attempt[step];
    return ms === undefined ? [] : [{ step, ms }];
  });
  return (
    <small>
      {reachedSteps.map(({ step, ms }) => `${t(`notifications.steps.${step}`)} ${ms}`).join(" → ")}
    </small>
  );
}
