import { Button, Group, Text, Title } from "@mantine/core";
import { useRef, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Place } from "../api/console.ts";
import { organisationOf, useCan, useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { saveFile } from "../components/save-file.ts";
import { makeKeyPair, type KeyPair } from "./make-key.ts";
import { RegisteredKey } from "./registered-key.tsx";
import { registerKey } from "./register-key.ts";
import { UploadKey } from "./upload-key.tsx";

interface Props {
  readonly place: Place;
  readonly isOpen: boolean;
}

/** The form for a new key, created in this browser or elsewhere. In both cases the private key is never sent. */
export function NewKey({ place, isOpen }: Props): ReactNode {
  const { t } = useTranslation();
  const me = useMe();
  const may = useCan(place.environment)(isOpen ? "keys.change" : "clients.open");
  const opening = { isOpen, name: organisationOf(me)?.name ?? me.person.name };
  // Idempotency: a retry after an unknown outcome registers the same key pair again.
  const pair = useRef<KeyPair>(undefined);
  const make = useAct(async () => {
    pair.current ??= await makeKeyPair(place);
    const { publicPem, privatePem, proof } = pair.current;
    const registered = await registerKey(place, { publicKey: publicPem, proof }, opening);
    const file = `${place.clientId}-private-${registered.keyVersion}.pem`;
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
      <Failure error={make.error} />
      <Group mb="md">
        <Button onClick={() => make.mutate()} loading={make.isPending} disabled={!may}>
          {t("keys.make")}
        </Button>
        {!may && <Text size="sm">{t("keys.mayNot")}</Text>}
      </Group>
      {make.data && <RegisteredKey place={place} registered={make.data} file={make.data.file} />}
      {may && <UploadKey place={place} opening={opening} />}
    </section>
  );
}
