import { Button, Group, NativeSelect, NumberInput, Text, Title } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, type ClientScope } from "../api/console-requests.ts";
import type { Acts } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";

type Fault = Acts["orderFault"]["request"]["fault"];

/** A record, so that the compiler detects a fault of the server that this list does not have. */
const faultSet: Readonly<Record<Fault, true>> = {
  DUPLICATE: true,
  REORDER: true,
  DELAY: true,
  DROP: true,
  CORRUPT_SIGNATURE: true,
  STALE: true,
};
const kinds = Object.keys(faultSet) as Fault[];

/** Fault injection, which affects only the merchant's own webhooks. */
export function Faults({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const [fault, setFault] = useState<Fault>("DUPLICATE");
  const [count, setCount] = useState(1);
  const isPermitted = useCan(scope.environment)("sandbox.steer");
  const orderFault = useAct(() =>
    performAct(scope, "orderFault", { faultRequestId: faultRequestIdFor(fault), fault, count }),
  );
  const cancelFaults = useAct(async () => {
    for (const kind of kinds)
      await performAct(scope, "orderFault", {
        faultRequestId: faultRequestIdFor(kind),
        fault: kind,
        count: 0,
      });
  });
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("tools.faults")}
      </Title>
      <Text c="dimmed" mb="sm" maw="44rem">
        {t("tools.faultsLede")}
      </Text>
      <Group align="flex-end">
        <NativeSelect
          label={t("tools.fault")}
          value={fault}
          onChange={({ currentTarget: { value } }) => setFault(value as Fault)}
          data={kinds.map((value) => ({ value, label: t(`tools.faultKind.${value}`) }))}
        />
        <NumberInput
          label={t("tools.count")}
          value={count}
          onChange={(value) => setCount(Number(value) || 1)}
          min={1}
          max={1000}
          w="7rem"
        />
        <Button onClick={() => orderFault.mutate()} loading={orderFault.isPending} disabled={!isPermitted}>
          {t("tools.order")}
        </Button>
        <Button
          variant="default"
          onClick={() => cancelFaults.mutate()}
          loading={cancelFaults.isPending}
          disabled={!isPermitted}
        >
          {t("tools.callOff")}
        </Button>
      </Group>
      <Failure error={orderFault.error ?? cancelFaults.error} />
      <Text size="sm" mt="xs" role="status">
        {lastOutcome(orderFault, cancelFaults) &&
          t(`tools.${lastOutcome(orderFault, cancelFaults) ?? "ordered"}`)}
      </Text>
    </section>
  );
}

/** One fixed request id for each kind of fault, so that it can be cancelled without stored state. */
function faultRequestIdFor(fault: Fault): string {
  return `portal-${fault.toLowerCase()}`;
}

interface MutationState {
  readonly isSuccess: boolean;
  readonly submittedAt: number;
}

function lastOutcome(order: MutationState, callOff: MutationState): "ordered" | "calledOff" | undefined {
  if (order.isSuccess && order.submittedAt > callOff.submittedAt) return "ordered";
  return callOff.isSuccess ? "calledOff" : undefined;
}
