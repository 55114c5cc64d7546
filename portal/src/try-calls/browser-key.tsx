import { Button, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, type ClientScope } from "../api/console-requests.ts";
import { createNonExportableKeyPair } from "../keys/create-key.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { deleteKey, storeKey, loadKey, type StoredKey } from "./browser-key-store.ts";

/** `useStoredKey` returns undefined while loading, and `null` if there is no key. */
export function useStoredKey({ clientId }: ClientScope): StoredKey | null | undefined {
  return useQuery({
    queryKey: ["kept-key", clientId],
    queryFn: async () => (await loadKey(clientId)) ?? null,
    staleTime: Infinity,
  }).data;
}

interface Props {
  readonly scope: ClientScope;
  readonly storedKey: StoredKey | null;
}

/** Opt-in: the browser stores a key only on request, and the key can be deleted. */
export function BrowserKey({ scope, storedKey }: Props): ReactNode {
  const { t } = useTranslation();
  const isPermitted = useCan(scope.environment)("keys.change");
  const createKey = useAct(async () => {
    const { privateKey, publicPem, proof } = await createNonExportableKeyPair(scope);
    const { keyVersion } = await performAct(scope, "addKey", { publicKey: publicPem, proof });
    await storeKey(scope.clientId, { privateKey, keyVersion });
  });
  const revokeStoredKey = useAct(async ({ keyVersion }: StoredKey) => {
    await performAct(scope, "revokeKey", { keyVersion }, t("try.forget"));
    await deleteKey(scope.clientId);
  });
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("try.key")}
      </Title>
      <Failure error={createKey.error ?? revokeStoredKey.error} />
      {storedKey ? (
        <Group>
          <Text>{t("try.kept", { version: storedKey.keyVersion })}</Text>
          <Button
            variant="default"
            size="xs"
            loading={revokeStoredKey.isPending}
            disabled={!isPermitted}
            onClick={() => revokeStoredKey.mutate(storedKey)}
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
            <Button loading={createKey.isPending} disabled={!isPermitted} onClick={() => createKey.mutate()}>
              {t("try.keep")}
            </Button>
            {!isPermitted && <Text size="sm">{t("try.mayNot")}</Text>}
          </Group>
        </>
      )}
    </section>
  );
}
