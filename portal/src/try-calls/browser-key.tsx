import { Button, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, type Place } from "../api/console.ts";
import { makeKeptPair } from "../keys/make-key.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { forgetKey, keepKey, keptKey, type KeptKey } from "./browser-key-store.ts";

/** `useKeptKey` returns undefined while loading, and `null` if there is no key. */
export function useKeptKey({ clientId }: Place): KeptKey | null | undefined {
  return useQuery({
    queryKey: ["kept-key", clientId],
    queryFn: async () => (await keptKey(clientId)) ?? null,
    staleTime: Infinity,
  }).data;
}

interface Props {
  readonly place: Place;
  readonly kept: KeptKey | null;
}

/** Opt-in: the browser stores a key only on request, and the key can be deleted. */
export function BrowserKey({ place, kept }: Props): ReactNode {
  const { t } = useTranslation();
  const may = useCan(place.environment)("keys.change");
  const keep = useAct(async () => {
    const { privateKey, publicPem, proof } = await makeKeptPair(place);
    const { keyVersion } = await act(place, "addKey", { publicKey: publicPem, proof });
    await keepKey(place.clientId, { privateKey, keyVersion });
  });
  const forget = useAct(async ({ keyVersion }: KeptKey) => {
    await act(place, "revokeKey", { keyVersion }, t("try.forget"));
    await forgetKey(place.clientId);
  });
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("try.key")}
      </Title>
      <Failure error={keep.error ?? forget.error} />
      {kept ? (
        <Group>
          <Text>{t("try.kept", { version: kept.keyVersion })}</Text>
          <Button
            variant="default"
            size="xs"
            loading={forget.isPending}
            disabled={!may}
            onClick={() => forget.mutate(kept)}
          >
            {t("try.forget")}
          </Button>
        </Group>
      ) : (
        <>
          <Text c="dimmed" mb="sm" maw="44rem">
            {t("try.noKey")}
          </Text>
          <Group>
            <Button loading={keep.isPending} disabled={!may} onClick={() => keep.mutate()}>
              {t("try.keep")}
            </Button>
            {!may && <Text size="sm">{t("try.mayNot")}</Text>}
          </Group>
        </>
      )}
    </section>
  );
}
