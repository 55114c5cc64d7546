import { Button, Group, NumberInput, Stack, Text, TextInput, Textarea, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { actAsStaff } from "../api/console-requests.ts";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { QueryResult } from "../components/query-result.tsx";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { formatAmount } from "../components/format-amount.ts";
import { ActButton } from "./act-button.tsx";
import { MerchantStatus } from "./merchants-page.tsx";
import { PageLink, useStaffEnvironment } from "./operator-links.tsx";
import { PayoutHold } from "./payout-hold.tsx";
import { ProviderAccounts } from "./provider-accounts.tsx";
import { useStaff } from "./use-staff.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Merchant = Staff["merchant"]["response"];

interface Props {
  readonly merchant: Merchant;
  readonly environment: Environment;
}

/** One merchant's client: its settings, and the operator's actions on it. */
export function MerchantPage(): ReactNode {
  const environment = useStaffEnvironment();
  const { clientId = "" } = useParams({ strict: false }) as { readonly clientId?: string };
  const merchant = useStaff(environment, "merchant", { clientId });
  const { t } = useConsoleTexts();
  const isPermitted = useCan(environment)("audit.read");
  return (
    <QueryResult query={merchant}>
      {(data) => (
        <>
          <PageHead title={data.name} lede={<span className="id">{data.clientId}</span>}>
            <Group>
              <MerchantStatus status={data.status} />
              <Switch merchant={data} environment={environment} />
            </Group>
          </PageHead>
          <Facts merchant={data} environment={environment} />
          {isPermitted && (
            <PageLink to="/audit" of={data.clientId}>
              {t("merchant.audit")}
            </PageLink>
          )}
          <ProviderAccounts merchant={data} environment={environment} />
          <Limits key={JSON.stringify(formatLimits(data))} merchant={data} environment={environment} />
        </>
      )}
    </QueryResult>
  );
}

/** Suspend and resume are the same switch. */
function Switch({ merchant: { clientId, name, status }, environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const isPermitted = useCan(environment)("merchants.change");
  if (status === "CLOSED") return undefined;
  return status === "ACTIVE" ? (
    <ActButton
      label={t("merchant.suspend")}
      about={clientId}
      consequence={t("merchant.suspendMeans", { name })}
      isDestructive
      disabled={!isPermitted}
      act={(reason) => actAsStaff(environment, "suspendMerchant", { clientId }, reason)}
    />
  ) : (
    <ActButton
      label={t("merchant.resume")}
      about={clientId}
      consequence={t("merchant.resumeMeans", { name })}
      disabled={!isPermitted}
      act={(reason) => actAsStaff(environment, "resumeMerchant", { clientId }, reason)}
    />
  );
}

function Facts({ merchant, environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const { clientId, keyVersions, gatewayKeyVersion, linkSchemes, notifyUrls, paused, payoutHold } = merchant;
  const payoutsOf = (): ReactNode => {
    if (payoutHold) return <PayoutHold {...payoutHold} clientId={clientId} />;
    return t(merchant.status === "SUSPENDED" ? "merchant.payoutsSuspended" : "merchant.payoutsNotHeld");
  };
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t("merchant.keys"), keyVersions.join(", ") || t("merchant.noKeys")],
    [t("merchant.gatewayKey"), <NextKey key="key" merchant={merchant} environment={environment} />],
    [t("merchant.apps"), linkSchemes.join(", ") || t("merchant.none")],
    [
      t("merchant.told"),
      notifyUrls.map(({ kind, url }) => `${kind} ${url}`).join(", ") || t("merchant.asRequested"),
    ],
    [t("merchant.paused"), paused.join(", ") || t("merchant.none")],
    [t("merchant.payouts"), payoutsOf()],
    [t("merchant.fees"), <Fees key="fees" rules={merchant.feeRules} />],
  ];
  return (
    <dl className="facts" key={`${clientId} ${gatewayKeyVersion}`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The applicable fee rules, most specific first, each with the fee of a payment of 100. */
function Fees({ rules }: { readonly rules: Merchant["feeRules"] }): ReactNode {
  const { t } = useConsoleTexts();
  const { i18n } = useTranslation();
  if (rules.length === 0) return t("merchant.noRules");
  return rules.map(({ ruleId, isOwn, paymentMethodType, currency, fromAt, fee, tax, example }) => {
    const scope = [
      paymentMethodType ?? t("merchant.allMethods"),
      currency ?? t("merchant.allCurrencies"),
      ...(isOwn ? [] : [t("merchant.everyMerchant")]),
    ].join(", ");
    const [amount, cost] = [example?.amount, example?.cost].map(
      (each) => each && formatAmount(each, i18n.language),
    );
    return (
      <div key={ruleId}>
        {t("merchant.feeTax", { fee, tax })}
        {example && ` · ${t("merchant.feeExample", { amount, cost })}`}
        <Text size="sm" c="dimmed">
          {t("merchant.feeRule", { rule: ruleId, scope })} <Moment at={fromAt} />
        </Text>
      </div>
    );
  });
}

/** Offers the newest gateway key to a merchant that uses an older one. */
function NextKey({ merchant: { clientId, gatewayKeyVersion }, environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const isPermitted = useCan(environment)("merchants.change");
  const { data } = useStaff(environment, "gatewayKeys", {});
  const version = data?.keys.at(-1)?.version ?? gatewayKeyVersion;
  return (
    <Group gap="sm">
      <span>{t("merchant.version", { version: gatewayKeyVersion })}</span>
      {version > gatewayKeyVersion && (
        <ActButton
          label={t("merchant.move", { version })}
          about={clientId}
          consequence={t("merchant.moveMeans", { version })}
          disabled={!isPermitted}
          act={(reason) => actAsStaff(environment, "moveMerchantKey", { clientId, version }, reason)}
        />
      )}
    </Group>
  );
}

const numbers = ["ratePerSecond", "rateBurst", "timeToleranceSeconds", "feeBasisPoints"] as const;
const statusTexts = {
  ratePerSecond: "merchant.rate",
  rateBurst: "merchant.burst",
  timeToleranceSeconds: "merchant.tolerance",
  feeBasisPoints: "merchant.fee",
} as const;

function formatLimits({ name, ratePerSecond, rateBurst, timeToleranceSeconds, feeBasisPoints }: Merchant) {
  return { name, ratePerSecond, rateBurst, timeToleranceSeconds, feeBasisPoints };
}

/**
 * Only changed values are sent, so that two people who change different limits do not overwrite each other (lost
 * update).
 */
function Limits({ merchant, environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const isPermitted = useCan(environment)("merchants.change");
  const { clientId } = merchant;
  const set = useAct(
    async ({ reason, ...input }: Readonly<Record<"reason" | "name" | (typeof numbers)[number], string>>) => {
      const changed = numbers.filter((name) => Number(input[name]) !== merchant[name]);
      const values = Object.fromEntries(changed.map((name) => [name, Number(input[name])]));
      const named = input.name === merchant.name ? {} : { name: input.name };
      return actAsStaff(environment, "setMerchant", { clientId, ...named, ...values }, reason);
    },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        set.mutate(readFields(event.currentTarget, ["reason", "name", ...numbers]));
      }}
    >
      <Stack maw="30rem" mt="xl">
        <div>
          <Title order={2} size="h4">
            {t("merchant.limits")}
          </Title>
          <Text c="dimmed" size="sm">
            {t("merchant.setMeans")}
          </Text>
        </div>
        <Failure error={set.error} />
        <TextInput
          name="name"
          label={t("merchant.name")}
          defaultValue={merchant.name}
          maxLength={256}
          required
          disabled={!isPermitted}
        />
        {numbers.map((name) => (
          <NumberInput
            key={name}
            name={name}
            label={t(statusTexts[name])}
            description={
              name === "feeBasisPoints" &&
              t(merchant.isPlainRateUsed ? "merchant.rateUsed" : "merchant.rateUnused")
            }
            defaultValue={merchant[name]}
            allowDecimal={false}
            allowNegative={false}
            min={name === "feeBasisPoints" ? 0 : 1}
            required
            disabled={!isPermitted}
          />
        ))}
        <Textarea
          name="reason"
          label={t("act.reason")}
          description={t("act.reasonHint")}
          maxLength={500}
          autosize
          required
          disabled={!isPermitted}
        />
        <Button type="submit" loading={set.isPending} disabled={!isPermitted}>
          {t("merchant.set")}
        </Button>
      </Stack>
    </form>
  );
}
