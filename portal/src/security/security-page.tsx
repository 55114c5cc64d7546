import { Button, Group, Modal, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Suspense, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import type { Routes } from "../generated/accounts.ts";
import { useAct } from "../session/use-act.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { AddPasskey } from "./add-passkey.tsx";
import { browserName } from "./browser-name.ts";
import { passkeysQuery, sessionsQuery } from "./security-queries.ts";

type Passkey = Routes["GET /accounts/passkeys"]["response"]["passkeys"][number];
type Session = Routes["GET /accounts/sessions"]["response"]["sessions"][number];

export function SecurityPage(): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <PageHead title={t("security.title")} lede={t("security.lede")} />
      <Stack gap="xl">
        <Suspense fallback={<Skeleton height={160} />}>
          <Passkeys />
          <Sessions />
        </Suspense>
      </Stack>
    </>
  );
}

function Passkeys(): ReactNode {
  const { t } = useTranslation();
  const [isAdding, { open, close }] = useDisclosure();
  const { passkeys } = useSuspenseQuery(passkeysQuery).data;
  const remove = useAct((credentialId: string) =>
    requestAccounts("POST /accounts/passkeys/remove", { credentialId }),
  );
  return (
    <section aria-labelledby="passkeys">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="passkeys">
          {t("passkeys.title")}
        </Title>
        {passkeys.length > 0 && <Button onClick={open}>{t("passkeys.addAnother")}</Button>}
      </Group>
      <Failure error={remove.error} />
      {passkeys.length === 0 ? (
        <EmptyState icon="security" title={t("passkeys.noneTitle")} lede={t("passkeys.none")}>
          <Button onClick={open}>{t("passkeys.add")}</Button>
        </EmptyState>
      ) : (
        <ul className="rows">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.credentialId} passkey={passkey} onRemove={remove.mutate} />
          ))}
        </ul>
      )}
      {passkeys.length === 1 && (
        <Text size="sm" c="dimmed" mt="xs">
          {t("passkeys.onlyOne")}
        </Text>
      )}
      <Modal opened={isAdding} onClose={close} title={t("passkeys.add")} centered>
        <AddPasskey onDone={close} />
      </Modal>
    </section>
  );
}

interface PasskeyRowProps {
  readonly passkey: Passkey;
  readonly onRemove: (credentialId: string) => void;
}

function PasskeyRow({ passkey, onRemove }: PasskeyRowProps): ReactNode {
  const { t } = useTranslation();
  const { credentialId, name, createdAt, usedAt } = passkey;
  return (
    <li className="row row-acts">
      <span className="row-what">
        <strong>{name}</strong>
        <small>
          {t("passkeys.since")} <Moment at={createdAt} />
          {" · "}
          {usedAt ? (
            <>
              {t("passkeys.used")} <Moment at={usedAt} />
            </>
          ) : (
            t("passkeys.unused")
          )}
        </small>
      </span>
      <Button
        variant="default"
        size="xs"
        onClick={() => onRemove(credentialId)}
        aria-label={t("passkeys.removeNamed", { name })}
      >
        {t("passkeys.remove")}
      </Button>
    </li>
  );
}

function Sessions(): ReactNode {
  const { t } = useTranslation();
  const { sessions } = useSuspenseQuery(sessionsQuery).data;
  const endSession = useAct((sessionId: string) =>
    requestAccounts("POST /accounts/sessions/end", { sessionId }),
  );
  return (
    <section aria-labelledby="sessions">
      <Title order={2} size="h4" id="sessions">
        {t("sessions.title")}
      </Title>
      <Text c="dimmed" mb="sm">
        {t("sessions.lede")}
      </Text>
      <Failure error={endSession.error} />
      <ul className="rows">
        {sessions.map((session) => (
          <SessionRow key={session.sessionId} session={session} onEnd={endSession.mutate} />
        ))}
      </ul>
    </section>
  );
}

interface SessionRowProps {
  readonly session: Session;
  readonly onEnd: (sessionId: string) => void;
}

function SessionRow({ session, onEnd }: SessionRowProps): ReactNode {
  const { t } = useTranslation();
  const { sessionId, isThis, method, network, browser, seenAt } = session;
  return (
    <li className="row row-acts">
      <span className="row-what">
        <span>
          <strong title={browser}>{browserName(browser) ?? t("sessions.someBrowser")}</strong>{" "}
          {isThis && <span className="status">{t("sessions.this")}</span>}
        </span>
        <small>
          {t(`sessions.by.${method}`)} · {network} · {t("sessions.seen")} <Moment at={seenAt} />
        </small>
      </span>
      {!isThis && (
        <Button variant="default" size="xs" onClick={() => onEnd(sessionId)}>
          {t("sessions.end")}
        </Button>
      )}
    </li>
  );
}
