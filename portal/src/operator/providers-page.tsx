import { Alert, Group, Text, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { actAsStaff } from "../api/console-requests.ts";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";
import { useCan } from "../session/me.ts";
import { QueryResult } from "../components/query-result.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { ActButton } from "./act-button.tsx";
import { useStaffEnvironment } from "./operator-links.tsx";
import { useStaff } from "./use-staff.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Provider = Staff["connectors"]["response"]["connectors"][number];
type Keys = Staff["gatewayKeys"]["response"]["keys"];
type Tested = Staff["testConnector"]["response"];

/** Connectors to payment providers: availability, waiting jobs, and the gateway key of each. */
export function ProvidersPage(): ReactNode {
  const { t } = useConsoleTexts();
  const environment = useStaffEnvironment();
  const providers = useStaff(environment, "connectors", {});
  const keys = useStaff(environment, "gatewayKeys", {});
  const newest = keys.data?.keys.at(-1)?.version ?? 0;
  return (
    <>
      <PageHead title={t("providers.title")} lede={t("providers.lede")} />
      <QueryResult query={providers}>
        {({ connectors }) =>
          connectors.length === 0 ? (
            <EmptyState icon="providers" title={t("providers.noneTitle")} lede={t("providers.none")} />
          ) : (
            <ul className="rows">
              {connectors.map((provider) => (
                <li key={provider.name}>
                  <ProviderCase provider={provider} newest={newest} environment={environment} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
      <QueryResult query={keys}>{(data) => <OurKeys keys={data.keys} />}</QueryResult>
    </>
  );
}

interface Props {
  readonly provider: Provider;
  /** The version of the newest gateway key. */
  readonly newest: number;
  readonly environment: Environment;
}

function ProviderCase({ provider, newest, environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const [tested, setTested] = useState<Tested>();
  const { name, url, isSilent, disabledAt, jobCount, paymentMethodTypes, simulator } = provider;
  const { accounts, priority, sharedMethods } = provider;
  const tone = isSilent ? "refused" : disabledAt ? "unknown" : undefined;
  return (
    <div className="case" data-tone={tone}>
      <div className="case-words">
        <Group gap="xs">
          <Text fw={650}>{name}</Text>
          <span className="status" data-tone={isSilent ? "refused" : "happened"}>
            {isSilent ? t("providers.silent") : t("providers.answers")}
          </span>
          {disabledAt && (
            <span className="status" data-tone="unknown">
              {t("providers.disabled")}
            </span>
          )}
          {simulator && <span className="status">{t("providers.simulator")}</span>}
        </Group>
        <Text className="id">{url}</Text>
        <Text size="sm" c="dimmed">
          {t("providers.jobs", { number: jobCount })} · {t("providers.methods")}:{" "}
          {paymentMethodTypes.join(", ")} · {t("providers.terms", provider)} · {t("providers.key")}:{" "}
          {t("merchant.version", { version: provider.gatewayKeyVersion })} ·{" "}
          {t(`providers.accounts.${accounts}`)} · {t("providers.priority", { priority })}
        </Text>
        {sharedMethods.map((shared) => (
          <Text key={shared.paymentMethodType} size="sm" c="dimmed">
            {t("providers.shared", {
              method: shared.paymentMethodType,
              connectors: shared.connectors.join(", "),
            })}
          </Text>
        ))}
        <ProviderFacts provider={provider} />
        {tested && (
          <Alert className={tested.isWell ? "" : "failure"} variant="light" mt="xs" role="status">
            {tested.isWell
              ? t("providers.well", { name, ms: tested.tookMs })
              : t("providers.unwell", { name, said: tested.said })}
            {tested.factsChanges.length > 0 && (
              <>
                <div>{t("providers.factsChanged", { name })}</div>
                <Lines lines={tested.factsChanges} />
              </>
            )}
          </Alert>
        )}
      </div>
      <ProviderActs provider={provider} newest={newest} environment={environment} onTested={setTested} />
    </div>
  );
}

/** The facts that the provider states, with the time of its answer, and settings that promise more. */
function ProviderFacts({ provider: { facts, factsAt, warnings } }: Pick<Props, "provider">): ReactNode {
  const { t } = useConsoleTexts();
  const stated = Object.entries(facts ?? {}).map(([name, value]) => `${name}: ${formatFact(value)}`);
  return (
    <>
      {facts && factsAt && (
        <details>
          <summary>
            {t("providers.facts", { name: facts.name, version: facts.softwareVersion })}{" "}
            <Moment at={factsAt} />
          </summary>
          <Lines lines={stated} />
        </details>
      )}
      {warnings.length > 0 && (
        <Alert className="failure" variant="light" mt="xs">
          {/* The same texts are printed by the command line, with backticks around commands. */}
          <Lines lines={warnings.map((warning) => warning.replaceAll("`", ""))} />
        </Alert>
      )}
    </>
  );
}

function formatFact(value: unknown): string {
  return Array.isArray(value) && value.every((each) => typeof each === "string")
    ? value.join(", ") || "–"
    : JSON.stringify(value);
}

function Lines({ lines }: { readonly lines: readonly string[] }): ReactNode {
  return lines.map((line) => (
    <Text size="sm" key={line}>
      {line}
    </Text>
  ));
}

function ProviderActs({
  provider: { name, disabledAt, gatewayKeyVersion },
  newest,
  environment,
  onTested,
}: Props & { readonly onTested: (tested: Tested) => void }): ReactNode {
  const { t } = useConsoleTexts();
  const disabled = !useCan(environment)("providers.change");
  const shared = { about: name, disabled };
  return (
    <div className="case-acts">
      <ActButton
        {...shared}
        label={t("providers.test")}
        consequence={t("providers.testMeans", { name })}
        act={(reason) => actAsStaff(environment, "testConnector", { name }, reason)}
        onDone={(answer) => onTested(answer as Tested)}
      />
      {disabledAt ? (
        <ActButton
          {...shared}
          label={t("providers.enable")}
          consequence={t("providers.enableMeans", { name })}
          act={(reason) => actAsStaff(environment, "enableConnector", { name }, reason)}
        />
      ) : (
        <ActButton
          {...shared}
          label={t("providers.disable")}
          consequence={t("providers.disableMeans", { name })}
          isDestructive
          act={(reason) => actAsStaff(environment, "disableConnector", { name }, reason)}
        />
      )}
      {newest > gatewayKeyVersion && (
        <ActButton
          {...shared}
          label={t("merchant.move", { version: newest })}
          consequence={t("providers.moveMeans", { name, version: newest })}
          act={(reason) => actAsStaff(environment, "moveConnectorKey", { name, version: newest }, reason)}
        />
      )}
    </div>
  );
}

function OurKeys({ keys }: { readonly keys: Keys }): ReactNode {
  const { t } = useConsoleTexts();
  if (keys.length === 0) return undefined;
  return (
    <section>
      <Title order={2} size="h4" mt="xl">
        {t("providers.gatewayKeys")}
      </Title>
      <Text c="dimmed" mb="sm">
        {t("providers.gatewayKeysLede")}
      </Text>
      <ul className="rows">
        {keys.map(({ version, keySha256, createdAt, merchantCount, connectors }) => (
          <li key={version} className="case">
            <div className="case-words">
              <Text fw={600}>{t("merchant.version", { version })}</Text>
              <Text size="sm" c="dimmed">
                {t("providers.made")} <Moment at={createdAt} /> · SHA-256{" "}
                <span className="id">{keySha256.slice(0, 16)}…</span>
              </Text>
            </div>
            <span className="status">
              {merchantCount + connectors.length === 0
                ? t("providers.unused")
                : t("providers.relies", { merchants: merchantCount, providers: connectors.join(", ") || 0 })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
