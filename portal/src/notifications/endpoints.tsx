import { Button, Group, NativeSelect, Skeleton, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { performAct, queryView, type ClientScope } from "../api/console-requests.ts";
import type { Acts, Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { notificationKinds, type NotificationKind } from "./notification-kinds.ts";

type EndpointsView = Views["endpoints"]["response"];
type Changes = Acts["changeEndpoints"]["request"];

/** The merchant's webhook endpoints by type, and paused endpoints. */
export function Endpoints({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const isPermitted = useCan(scope.environment)("endpoints.change");
  const query = useQuery({
    queryKey: ["endpoints", scope],
    queryFn: () => queryView(scope, "endpoints", {}),
    refetchInterval: intervalWhileActive(10_000),
  });
  const change = useAct((changes: Changes) => performAct(scope, "changeEndpoints", changes));
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("notifications.where")}
      </Title>
      <Text c="dimmed" mb="sm" maw="44rem">
        {t("notifications.whereLede")}
      </Text>
      <Failure error={query.error ?? change.error} />
      {!query.data && <Skeleton height={60} />}
      {query.data && (
        <Addresses
          view={query.data}
          isPermitted={isPermitted && !change.isPending}
          onChange={change.mutate}
        />
      )}
      {isPermitted ? (
        <SetAddress onSet={(notifyUrl) => change.mutate({ notifyUrls: [notifyUrl] })} />
      ) : (
        <Text size="sm">{t("notifications.mayNot")}</Text>
      )}
    </section>
  );
}

interface AddressesProps {
  readonly view: EndpointsView;
  readonly isPermitted: boolean;
  readonly onChange: (changes: Changes) => void;
}

function Addresses({ view: { endpoints, paused }, isPermitted, onChange }: AddressesProps): ReactNode {
  const { t } = useTranslation();
  // An address that only API requests contain is not listed as an endpoint; only its pause is known.
  const origins = new Set(endpoints.map(({ url }) => readOrigin(url)));
  const otherEntries = paused.filter((entry) => entry.includes("://") && !origins.has(entry));
  if (endpoints.length + otherEntries.length === 0)
    return (
      <Text size="sm" mb="sm">
        {t("notifications.noWhere")}
      </Text>
    );
  return (
    <ul className="rows">
      {endpoints.map(({ notificationKind, url, isCut }) => (
        <li className="row" key={notificationKind}>
          <span className="row-sum">{t(`notificationKind.${notificationKind}`)}</span>
          <OnOrPaused isPaused={paused.includes(readOrigin(url))} />
          <span className="row-what">
            {url}
            {isCut && <small>{t("notifications.cut")}</small>}
          </span>
          <Group gap="xs">
            <PauseOrResume
              url={url}
              isPaused={paused.includes(readOrigin(url))}
              isPermitted={isPermitted}
              onChange={onChange}
            />
            <Button
              variant="subtle"
              size="xs"
              disabled={!isPermitted}
              aria-label={t("notifications.removeNamed", { kind: t(`notificationKind.${notificationKind}`) })}
              onClick={() => onChange({ removeNotifyUrls: [notificationKind] })}
            >
              {t("notifications.remove")}
            </Button>
          </Group>
        </li>
      ))}
      {otherEntries.map((origin) => (
        <li className="row" key={origin}>
          <span className="row-sum">{origin}</span>
          <OnOrPaused isPaused />
          <span className="row-what" />
          <PauseOrResume url={origin} isPaused isPermitted={isPermitted} onChange={onChange} />
        </li>
      ))}
    </ul>
  );
}

function OnOrPaused({ isPaused }: { readonly isPaused: boolean }): ReactNode {
  const { t } = useTranslation();
  return (
    <span className="status" data-tone={isPaused ? "unknown" : "happened"}>
      {t(isPaused ? "notifications.isPaused" : "notifications.isOn")}
    </span>
  );
}

interface Pausing extends Pick<AddressesProps, "isPermitted" | "onChange"> {
  readonly url: string;
  readonly isPaused: boolean;
}

function PauseOrResume({ url, isPaused, isPermitted, onChange }: Pausing): ReactNode {
  const { t } = useTranslation();
  const scope = readOrigin(url);
  return (
    <Button
      variant="default"
      size="xs"
      disabled={!isPermitted}
      aria-label={t(isPaused ? "notifications.resumeNamed" : "notifications.pauseNamed", { scope })}
      onClick={() => onChange(isPaused ? { resume: [url] } : { pause: [url] })}
    >
      {t(isPaused ? "notifications.resume" : "notifications.pause")}
    </Button>
  );
}

interface NotifyUrl {
  readonly notificationKind: NotificationKind;
  readonly url: string;
}

function SetAddress({ onSet }: { readonly onSet: (notifyUrl: NotifyUrl) => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <details className="more">
      <summary>{t("notifications.setTitle")}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const { kind, url } = readFields(event.currentTarget, ["kind", "url"]);
          onSet({ notificationKind: kind as NotificationKind, url });
        }}
      >
        <Group align="flex-end" mt="xs">
          <NativeSelect
            name="kind"
            label={t("notifications.kind")}
            data={notificationKinds.map((value) => ({ value, label: t(`notificationKind.${value}`) }))}
          />
          <TextInput
            name="url"
            type="url"
            required
            label={t("notifications.address")}
            placeholder="https://shop.example/notify"
            flex={1}
            miw="14rem"
          />
          <Button type="submit">{t("notifications.set")}</Button>
        </Group>
      </form>
    </details>
  );
}

function readOrigin(url: string): string {
  return URL.parse(url)?.origin ?? url;
}
