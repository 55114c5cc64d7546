import { Button, Skeleton, Slider, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { whileActive } from "../api/idle-refresh.ts";
import { act, askView, type Place } from "../api/console.ts";
import { isRefused } from "../api/refusal-error.ts";
import type { Acts } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";

type Turned = Acts["advanceClock"]["response"];

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
/**
 * Steps by which the test clock can advance, such as to a retry, an expiry, the end of an authorization hold, or by a
 * month.
 */
const stops = [15 * minute, hour, 6 * hour, day, 3 * day, 7 * day, 30 * day];

export function Clock({ place }: { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const durationInWords = useDuration();
  const [stop, setStop] = useState(1);
  const bySeconds = stops[stop] ?? hour;
  const may = useCan(place.environment)("sandbox.steer");
  const turn = useAct(() => advance(place, bySeconds));
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("tools.clock")}
      </Title>
      <Text c="dimmed" mb="sm" maw="44rem">
        {t("tools.clockLede")}
      </Text>
      <Shown place={place} />
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
        label={(value) => durationInWords(stops[value] ?? 0)}
        marks={stops.map((seconds, value) => ({ value, label: durationInWords(seconds) }))}
        maw="44rem"
        mb="xl"
        mx="md"
        classNames={{ markLabel: "mark" }}
      />
      <Button onClick={() => turn.mutate()} loading={turn.isPending} disabled={!may}>
        {t("tools.move", { duration: durationInWords(bySeconds) })}
      </Button>
      {turn.isPending && (
        <Text size="sm" mt="xs">
          {t("tools.moving")}
        </Text>
      )}
      <Failure error={turn.error} />
      {turn.data && <Fired turned={turn.data} />}
    </section>
  );
}

function Shown({ place }: { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const durationInWords = useDuration();
  const clock = useQuery({
    queryKey: ["clock", place],
    queryFn: () => askView(place, "clock", {}),
    refetchInterval: whileActive(5_000),
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

function Fired({ turned: { fired } }: { readonly turned: Turned }): ReactNode {
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
const lookAgainMs = 1_000;

/** Idempotency: while the clock is still advancing, the same request id is used to query it. */
async function advance(place: Place, bySeconds: number): Promise<Turned> {
  const turnRequestId = `portal-${crypto.randomUUID()}`;
  const endsAtMs = Date.now() + patienceMs;
  for (;;) {
    try {
      return await act(place, "advanceClock", { turnRequestId, bySeconds });
    } catch (error) {
      if (!isRefused(error) || !error.isOpen || Date.now() > endsAtMs) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, lookAgainMs);
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
