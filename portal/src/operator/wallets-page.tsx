import { Alert, Group, Text, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { actAsStaff } from "../api/console.ts";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";
import { useCan } from "../session/me.ts";
import { Answer } from "../shell/answer.tsx";
import { Empty } from "../shell/empty.tsx";
import { Moment } from "../shell/moment.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { ActButton } from "./act-button.tsx";
import { useStaffEnvironment } from "./operator-links.tsx";
import { useStaff } from "./use-staff.ts";
import { useWords } from "./use-words.ts";

type Wallet = Staff["connectors"]["response"]["connectors"][number];
type Keys = Staff["gatewayKeys"]["response"]["keys"];
type Tested = Staff["testConnector"]["response"];

/** The ways to money: which answer, how much waits for each, and which of our keys each relies on. */
export function WalletsPage(): ReactNode {
  const { t } = useWords();
  const environment = useStaffEnvironment();
  const wallets = useStaff(environment, "connectors", {});
  const keys = useStaff(environment, "gatewayKeys", {});
  const newest = keys.data?.keys.at(-1)?.version ?? 0;
  return (
    <>
      <PageHead title={t("wallets.title")} lede={t("wallets.lede")} />
      <Answer of={wallets}>
        {({ connectors }) =>
          connectors.length === 0 ? (
            <Empty icon="wallets" title={t("wallets.noneTitle")} lede={t("wallets.none")} />
          ) : (
            <ul className="rows">
              {connectors.map((wallet) => (
                <li key={wallet.name}>
                  <WalletCase wallet={wallet} newest={newest} environment={environment} />
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
      <Answer of={keys}>{(data) => <OurKeys keys={data.keys} />}</Answer>
    </>
  );
}

interface Props {
  readonly wallet: Wallet;
  /** The newest of our keys. */
  readonly newest: number;
  readonly environment: Environment;
}

function WalletCase({ wallet, newest, environment }: Props): ReactNode {
  const { t } = useWords();
  const [tested, setTested] = useState<Tested>();
  const { name, url, isSilent, disabledAt, jobCount, paymentMethodTypes, simulator } = wallet;
  const tone = isSilent ? "refused" : disabledAt ? "unknown" : undefined;
  return (
    <div className="case" data-tone={tone}>
      <div className="case-words">
        <Group gap="xs">
          <Text fw={650}>{name}</Text>
          <span className="status" data-tone={isSilent ? "refused" : "happened"}>
            {isSilent ? t("wallets.silent") : t("wallets.answers")}
          </span>
          {disabledAt && (
            <span className="status" data-tone="unknown">
              {t("wallets.disabled")}
            </span>
          )}
          {simulator && <span className="status">{t("wallets.simulator")}</span>}
        </Group>
        <Text className="id">{url}</Text>
        <Text size="sm" c="dimmed">
          {t("wallets.jobs", { number: jobCount })} · {t("wallets.methods")}: {paymentMethodTypes.join(", ")}{" "}
          · {t("wallets.terms", wallet)} · {t("wallets.key")}:{" "}
          {t("merchant.version", { version: wallet.gatewayKeyVersion })}
        </Text>
        {tested && (
          <Alert className={tested.isWell ? "" : "failure"} variant="light" mt="xs" role="status">
            {tested.isWell
              ? t("wallets.well", { name, ms: tested.tookMs })
              : t("wallets.unwell", { name, said: tested.said })}
          </Alert>
        )}
      </div>
      <WalletActs wallet={wallet} newest={newest} environment={environment} onTested={setTested} />
    </div>
  );
}

function WalletActs({
  wallet: { name, disabledAt, gatewayKeyVersion },
  newest,
  environment,
  onTested,
}: Props & { readonly onTested: (tested: Tested) => void }): ReactNode {
  const { t } = useWords();
  const disabled = !useCan(environment)("wallets.change");
  const shared = { about: name, disabled };
  return (
    <div className="case-acts">
      <ActButton
        {...shared}
        label={t("wallets.test")}
        means={t("wallets.testMeans", { name })}
        act={(reason) => actAsStaff(environment, "testConnector", { name }, reason)}
        onDone={(answer) => onTested(answer as Tested)}
      />
      {disabledAt ? (
        <ActButton
          {...shared}
          label={t("wallets.enable")}
          means={t("wallets.enableMeans", { name })}
          act={(reason) => actAsStaff(environment, "enableConnector", { name }, reason)}
        />
      ) : (
        <ActButton
          {...shared}
          label={t("wallets.disable")}
          means={t("wallets.disableMeans", { name })}
          isGrave
          act={(reason) => actAsStaff(environment, "disableConnector", { name }, reason)}
        />
      )}
      {newest > gatewayKeyVersion && (
        <ActButton
          {...shared}
          label={t("merchant.move", { version: newest })}
          means={t("wallets.moveMeans", { name, version: newest })}
          act={(reason) => actAsStaff(environment, "moveConnectorKey", { name, version: newest }, reason)}
        />
      )}
    </div>
  );
}

function OurKeys({ keys }: { readonly keys: Keys }): ReactNode {
  const { t } = useWords();
  if (keys.length === 0) return undefined;
  return (
    <section>
      <Title order={2} size="h4" mt="xl">
        {t("wallets.gatewayKeys")}
      </Title>
      <Text c="dimmed" mb="sm">
        {t("wallets.gatewayKeysLede")}
      </Text>
      <ul className="rows">
        {keys.map(({ version, keySha256, createdAt, merchantCount, connectors }) => (
          <li key={version} className="case">
            <div className="case-words">
              <Text fw={600}>{t("merchant.version", { version })}</Text>
              <Text size="sm" c="dimmed">
                {t("wallets.made")} <Moment at={createdAt} /> · SHA-256{" "}
                <span className="id">{keySha256.slice(0, 16)}…</span>
              </Text>
            </div>
            <span className="status">
              {merchantCount + connectors.length === 0
                ? t("wallets.unused")
                : t("wallets.relies", { merchants: merchantCount, wallets: connectors.join(", ") || 0 })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
