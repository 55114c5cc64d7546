import { Button, Group, Text, Title } from "@mantine/core";
import { useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { findOrganisation, useCan, useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { saveFile } from "../components/save-file.ts";
import { createKeyPair, type KeyPair } from "./create-key.ts";
import { RegisteredKey } from "./registered-key.tsx";
import { registerKey } from "./register-key.ts";
import { UploadKey } from "./upload-key.tsx";

interface Props {
  readonly scope: ClientScope;
  readonly isOpen: boolean;
}

/** The form for a new key, created in this browser or elsewhere. In both cases the private key is never sent. */
export function NewKey({ scope, isOpen }: Props): ReactNode {
  const { t } = useTranslation();
  const me = useMe();
  const isPermitted = useCan(scope.environment)(isOpen ? "keys.change" : "clients.open");
  const opening = { isOpen, name: findOrganisation(me)?.name ?? me.person.name };
  // Idempotency: a retry after an unknown outcome registers the same key pair again.
  const pair = useRef<KeyPair>(undefined);
  const createKey = useAct(async () => {
    pair.current ??= await createKeyPair(scope);
    const { publicPem, privatePem, proof } = pair.current;
    const registered = await registerKey(scope, { publicKey: publicPem, proof }, opening);
    const file = `${scope.clientId}-private-${registered.keyVersion}.pem`;
    saveFile(file, privatePem);
    pair.current = undefined;
    return { ...registered, file };
  });
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t("keys.newTitle")}
      </Title>
      <Text c="dimmed" mb="sm" maw="44rem">
        {t("keys.newLede")}
      </Text>
      <Failure error={createKey.error} />
      <Group mb="md">
        <Button onClick={() => createKey.mutate()} loading={createKey.isPending} disabled={!isPermitted}>
          {t("keys.make")}
        </Button>
        {!isPermitted && <Text size="sm">{t("keys.mayNot")}</Text>}
      </Group>
      {createKey.data && (
        <RegisteredKey scope={scope} registered={createKey.data} file={createKey.data.file} />
      )}
      {isPermitted && <UploadKey scope={scope} opening={opening} />}
    </section>
  );
}
