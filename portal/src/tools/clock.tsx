import { Button, Skeleton, Slider, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { performAct, queryView, type ClientScope } from "../api/console-requests.ts";
import { isRefusal } from "../api/refusal-error.ts";
import type { Acts } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";

type ClockAdvance = Acts["advanceClock"]["response"];

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
/**
 * Steps by which the test clock can advance, such as to a retry, an expiry, the end of an authorization hold, or by a
 * month.
 */
const stops = [15 * minute, hour, 6 * hour, day, 3 * day, 7 * day, 30 * day];

export function Clock({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const formatDuration = useDuration();
  const [stop, setStop] = useState(1);
  const bySeconds = stops[stop] ?? hour;
  const isPermitted = useCan(scope.environment)("sandbox.steer");
  const advanceClock = useAct(() => advance(scope, bySeconds));
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("tools.clock")}
      </Title>
      <Text c="dimmed" mb="sm" maw="44rem">
        {t("tools.clockLede")}
      </Text>
      <CurrentTime scope={scope} />
      <Text size="sm" fw={600} mt="md">
        {t("tools.by")}
      </Text>
      <Slider
        thumbLabel={t("tools.by")}
        value={stop}
        onChange={setStop}
        min={0}
        max={stops.length - 1}
        step={1}
        label={(value) => formatDuration(stops[value] ?? 0)}
        marks={stops.map((seconds, value) => ({ value, label: formatDuration(seconds) }))}
        maw="44rem"
        mb="xl"
        mx="md"
        classNames={{ markLabel: "mark" }}
      />
      <Button onClick={() => advanceClock.mutate()} loading={advanceClock.isPending} disabled={!isPermitted}>
        {t("tools.move", { duration: formatDuration(bySeconds) })}
      </Button>
      {advanceClock.isPending && (
        <Text size="sm" mt="xs">
          {t("tools.moving")}
        </Text>
      )}
      <Failure error={advanceClock.error} />
      {advanceClock.data && <FiredActions clockAdvance={advanceClock.data} />}
    </section>
  );
}

function CurrentTime({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const durationInWords = useDuration();
  const clock = useQuery({
    queryKey: ["clock", scope],
    queryFn: () => queryView(scope, "clock", {}),
    refetchInterval: intervalWhileActive(5_000),
  });
  if (clock.error) return <Failure error={clock.error} />;
  if (!clock.data) return <Skeleton height={24} />;
  const { time, aheadSeconds } = clock.data;
  return (
    <Text>
      {t("tools.shows")} <Moment at={time} />,{" "}
      {aheadSeconds < 2
        ? t("tools.asReal")
        : t("tools.ahead", { duration: durationInWords(Math.max(aheadSeconds, minute)) })}
    </Text>
  );
}

function FiredActions({ clockAdvance: { fired } }: { readonly clockAdvance: ClockAdvance }): ReactNode {
  const { t } = useTranslation();
  if (fired.length === 0)
    return (
      <Text mt="sm" role="status">
        {t("tools.nothingFired")}
      </Text>
    );
  return (
    <div role="status">
      <Title order={3} size="h5" mt="md" mb="xs">
        {t("tools.fired")}
      </Title>
      <ol className="timeline">
        {fired.map(({ time, action, id }) => (
          <li key={`${time} ${id} ${action}`}>
            <div>
              {action} <span className="id">{id}</span>
            </div>
            <Moment at={time} />
          </li>
        ))}
      </ol>
    </div>
  );
}

const patienceMs = 60_000;
const pollIntervalMs = 1_000;

/** Idempotency: while the clock is still advancing, the same request id is used to query it. */
async function advance(scope: ClientScope, bySeconds: number): Promise<ClockAdvance> {
  const turnRequestId = `portal-${crypto.randomUUID()}`;
  const endsAtMs = Date.now() + patienceMs;
  for (;;) {
    try {
      return await performAct(scope, "advanceClock", { turnRequestId, bySeconds });
    } catch (error) {
      if (!isRefusal(error) || !error.isOpen || Date.now() > endsAtMs) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, pollIntervalMs);
      });
    }
  }
}

/** Formats a duration in its largest fitting unit. */
function useDuration(): (seconds: number) => string {
  const { t } = useTranslation();
  return (seconds) => {
    if (seconds >= day) return t("tools.days", { number: rounded(seconds / day) });
    if (seconds >= hour) return t("tools.hours", { number: rounded(seconds / hour) });
    return t("tools.minutes", { number: Math.round(seconds / minute) });
  };
}

function rounded(number: number): number {
  return Math.round(number * 10) / 10;
}
