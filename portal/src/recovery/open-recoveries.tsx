import { Button, Group, Title } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import type { Routes } from "../generated/accounts.ts";
import { useCan, useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";

type Recovery = Routes["GET /accounts/recoveries"]["response"]["recoveries"][number];

/** Open account recoveries, which another person can confirm or stop. Shows nothing if there are none. */
export function OpenRecoveries(): ReactNode {
  const { t } = useTranslation();
  const { organisationId } = useMe();
  const { recoveries } = useSuspenseQuery({
    queryKey: ["recoveries", organisationId],
    queryFn: () => requestAccounts("GET /accounts/recoveries", {}),
  }).data;
  if (recoveries.length === 0) return undefined;
  return (
    <section aria-labelledby="recoveries">
      <Title order={2} size="h4" mb="sm" id="recoveries">
        {t("recovery.under")}
      </Title>
      <ul className="rows">
        {recoveries.map((recovery) => (
          <RecoveryRow key={recovery.recoveryId} recovery={recovery} />
        ))}
      </ul>
    </section>
  );
}

function RecoveryRow({ recovery }: { readonly recovery: Recovery }): ReactNode {
  const { t } = useTranslation();
  const { person } = useMe();
  const isPermitted = useCan("live")("people.change");
  const { recoveryId, name, reason, askedBy, readyAt, expiresAt } = recovery;
  const confirm = useAct(() => requestAccounts("POST /accounts/recoveries/confirm", { recoveryId }));
  const stop = useAct(() => requestAccounts("POST /accounts/recoveries/cancel", { recoveryId }));
  return (
    <li className="row row-acts">
      <span className="row-what">
        <strong>{name}</strong>{" "}
        <span className="status" data-tone="unknown">
          {t(readyAt ? "recovery.isReady" : "recovery.waits")}
        </span>
        <small>
          {reason} · {t("recovery.until")} <Moment at={expiresAt} />
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
              aria-label={t("recovery.confirmNamed", { name })}
            >
              {t("recovery.confirm")}
            </Button>
          )}
          <Button
            variant="default"
            size="xs"
            onClick={() => stop.mutate()}
            aria-label={t("recovery.endNamed", { name })}
          >
            {t("recovery.end")}
          </Button>
        </Group>
      )}
    </li>
  );
}
