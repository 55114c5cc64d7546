import { Alert, Button, Code, CopyButton, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { whileAttended } from "../api/attention.ts";
import { askView, type Place } from "../api/console.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { Empty } from "../shell/empty.tsx";
import { Failure } from "../shell/failure.tsx";
import { Moment } from "../shell/moment.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { makeKeyPair, saveFile } from "./make-key.ts";

type Key = Views["keys"]["response"]["keys"][number];

export function KeysPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/keys" });
  return (
    <>
      <PageHead title={t("keys.title")} lede={t("keys.lede")} />
      <WithClient environment={environment}>
        {(place) => (
          <Stack gap="xl">
            <Keys place={place} />
            <NewKey place={place} />
          </Stack>
        )}
      </WithClient>
    </>
  );
}

function Keys({ place }: { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const report = useQuery({
    queryKey: ["keys", place],
    queryFn: () => askView(place, "keys", {}),
    refetchInterval: whileAttended(10_000),
  });
  if (report.error) return <Failure error={report.error} />;
  if (!report.data) return <Skeleton height={120} />;
  const { keys } = report.data;
  if (keys.length === 0) return <Empty icon="keys" title={t("keys.noneTitle")} lede={t("keys.none")} />;
  return (
    <ul className="rows">
      {keys.map((key) => (
        <KeyRow key={key.keyVersion} shown={key} />
      ))}
    </ul>
  );
}

function KeyRow({ shown }: { readonly shown: Key }): ReactNode {
  const { t } = useTranslation();
  const { keyVersion, keyStatus, requests, lastUsedTime, isSafeToRevoke, reason } = shown;
  const light = keyStatus === "REVOKED" ? "quiet" : isSafeToRevoke ? "happened" : "unknown";
  const word = keyStatus === "REVOKED" ? "revoked" : isSafeToRevoke ? "safe" : "needed";
  return (
    <li className="row">
      <span className="row-sum">{t("keys.version", { version: keyVersion })}</span>
      <span className="status" data-tone={light} title={reason}>
        {t(`keys.${word}`)}
      </span>
      <span className="row-what">
        {t("keys.requests", { number: requests })}
        <small>{reason}</small>
      </span>
      <span className="row-when">{lastUsedTime ? <Moment at={lastUsedTime} /> : t("keys.neverUsed")}</span>
    </li>
  );
}

/** The private half is made here and saved to a file; what is shown after that is public. */
function NewKey({ place }: { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const may = useCan(place.environment)("keys.change");
  const make = useMutation({
    mutationFn: async () => {
      const { privatePem, publicPem } = await makeKeyPair();
      saveFile(`${place.clientId}-private.pem`, privatePem);
      return publicPem;
    },
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
      <Group>
        <Button onClick={() => make.mutate()} loading={make.isPending} disabled={!may}>
          {t("keys.make")}
        </Button>
        {!may && <Text size="sm">{t("keys.mayNot")}</Text>}
      </Group>
      {make.data && <PublicKey pem={make.data} place={place} />}
    </section>
  );
}

function PublicKey({ pem, place }: { readonly pem: string; readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  return (
    <Stack mt="md" gap="sm" maw="44rem">
      <Alert variant="light" title={t("keys.savedTitle")}>
        {t("keys.saved", { file: `${place.clientId}-private.pem` })}
      </Alert>
      <Text fw={600}>{t("keys.public")}</Text>
      <Code block>{pem}</Code>
      <Group>
        <CopyButton value={pem}>
          {({ copied, copy }) => (
            <Button variant="default" onClick={copy}>
              {t(copied ? "copy.done" : "copy.do")}
            </Button>
          )}
        </CopyButton>
        <Button variant="default" onClick={() => saveFile(`${place.clientId}-public.pem`, pem)}>
          {t("keys.savePublic")}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        {t("keys.next")}
      </Text>
      <Code
        block
      >{`tollgate merchant key add ${place.clientId} --public-key ${place.clientId}-public.pem`}</Code>
    </Stack>
  );
}
