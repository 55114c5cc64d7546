import { Button, NativeSelect, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { actAsStaff } from "../api/console-requests.ts";
import type { Environment } from "../api/environments.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import type { Staff } from "../generated/staff.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { ActButton } from "./act-button.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";
import { useStaff } from "./use-staff.ts";

interface Props {
  readonly merchant: Staff["merchant"]["response"];
  readonly environment: Environment;
}

/** A merchant's accounts at payment providers, for new orders. A change needs an approval in live. */
export function ProviderAccounts({ merchant, environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const isPermitted = useCan(environment)("merchants.change");
  const { data } = useStaff(environment, "connectors", {});
  const connectors = data?.connectors.filter(({ accounts }) => accounts !== "none") ?? [];
  const { clientId, providerAccounts } = merchant;
  return (
    <section>
      <Title order={2} size="h4" mt="xl">
        {t("merchant.accounts")}
      </Title>
      <Text c="dimmed" size="sm" mb="sm">
        {t("merchant.accountsLede")}
      </Text>
      {providerAccounts.length === 0 ? (
        <Text>{t("merchant.noAccounts")}</Text>
      ) : (
        <ul className="rows">
          {providerAccounts.map(({ connector, account }) => (
            <li key={connector} className="case">
              <div className="case-words">
                <Text fw={600}>{connector}</Text>
                <Text className="id">{account}</Text>
              </div>
              <div className="case-acts">
                <ActButton
                  label={t("merchant.removeAccount")}
                  about={`${connector} ${account}`}
                  consequence={t("merchant.removeAccountMeans", { connector, name: merchant.name })}
                  isDestructive
                  disabled={!isPermitted}
                  act={(reason) =>
                    actAsStaff(environment, "removeProviderAccount", { clientId, connector }, reason)
                  }
                />
              </div>
            </li>
          ))}
        </ul>
      )}
      {connectors.length === 0 ? (
        <Text c="dimmed" size="sm" mt="sm">
          {t("merchant.noAccountConnectors")}
        </Text>
      ) : (
        <AccountForm
          // A new form after each change, so that no text of the last one remains.
          key={JSON.stringify(providerAccounts)}
          clientId={clientId}
          environment={environment}
          connectors={connectors.map(({ name }) => name)}
        />
      )}
    </section>
  );
}

interface FormProps extends Pick<Props, "environment"> {
  readonly clientId: string;
  readonly connectors: readonly string[];
}

function AccountForm({ clientId, environment, connectors }: FormProps): ReactNode {
  const { t } = useConsoleTexts();
  const isPermitted = useCan(environment)("merchants.change");
  const set = useAct(
    async ({ reason, ...input }: Readonly<Record<"reason" | "connector" | "account", string>>) =>
      actAsStaff(environment, "setProviderAccount", { clientId, ...input }, reason),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        set.mutate(readFields(event.currentTarget, ["reason", "connector", "account"]));
      }}
    >
      <Stack maw="30rem" mt="md">
        <Failure error={set.error} />
        <NativeSelect
          name="connector"
          label={t("merchant.accountConnector")}
          data={[...connectors]}
          disabled={!isPermitted}
        />
        <TextInput
          name="account"
          label={t("merchant.account")}
          description={t("merchant.accountHint")}
          maxLength={128}
          autoComplete="off"
          required
          disabled={!isPermitted}
        />
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
          {t("merchant.setAccount")}
        </Button>
      </Stack>
    </form>
  );
}
