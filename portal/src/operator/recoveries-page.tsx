import { Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import type { Routes } from "../generated/accounts.ts";
import { useCan, useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Section } from "../components/section.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Recovery = Routes["GET /accounts/recoveries/operator"]["response"]["recoveries"][number];

/**
 * Account recovery of merchants' people by staff: two staff members vouch, and the person and all owners can stop it
 * for 24 hours.
 */
export function RecoveriesPage(): ReactNode {
  const { t } = useConsoleTexts();
  const isPermitted = useCan("live")("people.recover");
  const { data, error } = useQuery({
    queryKey: ["operators-recoveries"],
    queryFn: () => requestAccounts("GET /accounts/recoveries/operator", {}),
  });
  return (
    <>
      <PageHead title={t("recoveries.title")} lede={t("recoveries.lede")} />
      <Stack gap="xl">
        <Failure error={error} />
        {data?.recoveries.length === 0 && (
          <EmptyState icon="people" title={t("recoveries.noneTitle")} lede={t("recoveries.none")} />
        )}
        {data && data.recoveries.length > 0 && (
          <ul className="rows">
            {data.recoveries.map((recovery) => (
              <RecoveryRow key={recovery.recoveryId} recovery={recovery} isPermitted={isPermitted} />
            ))}
          </ul>
        )}
        {isPermitted && (
          <Section title={t("recoveries.vouch")}>
            <Vouch />
          </Section>
        )}
      </Stack>
    </>
  );
}

function RecoveryRow({
  recovery: { recoveryId, name, email, reason, askedBy, readyAt, expiresAt },
  isPermitted,
}: {
  readonly recovery: Recovery;
  readonly isPermitted: boolean;
}): ReactNode {
  const { t } = useConsoleTexts();
  const { t: shared } = useTranslation();
  const { person } = useMe();
  const confirm = useAct(() => requestAccounts("POST /accounts/recoveries/operator/confirm", { recoveryId }));
  const stop = useAct(() => requestAccounts("POST /accounts/recoveries/cancel", { recoveryId }));
  return (
    <li className="row row-acts">
      <span className="row-what">
        <strong>{name}</strong> {email}{" "}
        <span className="status" data-tone="unknown">
          {shared(readyAt ? "recovery.isReady" : "recovery.waits")}
        </span>
        <span className="said">“{reason}”</span>
        <small>
          {readyAt && (
            <>
              {t("recoveries.from")} <Moment at={readyAt} />{" "}
            </>
          )}
          {shared("recovery.until")} <Moment at={expiresAt} />
        </small>
        <Failure error={confirm.error ?? stop.error} />
      </span>
      {isPermitted && (
        <Group gap="xs" wrap="nowrap">
          {!readyAt && askedBy !== person.personId && (
            <Button
              size="xs"
              onClick={() => confirm.mutate()}
              loading={confirm.isPending}
              aria-label={shared("recovery.confirmNamed", { name })}
            >
              {shared("recovery.confirm")}
            </Button>
          )}
          <Button
            variant="default"
            size="xs"
            onClick={() => stop.mutate()}
            loading={stop.isPending}
            aria-label={shared("recovery.endNamed", { name })}
          >
            {shared("recovery.end")}
          </Button>
        </Group>
      )}
    </li>
  );
}

/** The form for the first of two people who vouch. */
function Vouch(): ReactNode {
  const { t } = useConsoleTexts();
  const { t: shared } = useTranslation();
  const vouch = useAct((request: { readonly email: string; readonly reason: string }) =>
    requestAccounts("POST /accounts/recoveries/operator", request),
  );
  if (vouch.data)
    return (
      <Text role="status" maw="34rem" className="row-what">
        {t("recoveries.needsSecond", { email: vouch.variables.email })}
      </Text>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        vouch.mutate(readFields(event.currentTarget, ["email", "reason"]));
      }}
    >
      <Stack maw="34rem">
        <Text>{t("recoveries.means")}</Text>
        <Failure error={vouch.error} />
        <TextInput name="email" type="email" label={shared("people.email")} maxLength={254} required />
        <Textarea name="reason" label={shared("recovery.reason")} maxLength={500} autosize required />
        <Button type="submit" loading={vouch.isPending}>
          {t("recoveries.do")}
        </Button>
      </Stack>
    </form>
  );
}
