import { Button, Group, Modal, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useSuspenseQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Role } from "../../../server/src/people/role.ts";
import { requestAccounts } from "../api/request-accounts.ts";
import type { Routes } from "../generated/accounts.ts";
import { findOrganisation, useCan, useMe } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { OpenRecoveries } from "../recovery/open-recoveries.tsx";
import { VouchButton } from "../recovery/vouch.tsx";
import { InviteForm } from "./invite-form.tsx";
import { useAssignableRoles } from "./assignable-roles.ts";
import { RolePermissions } from "./role-permissions.tsx";

type Member = Routes["GET /accounts/people"]["response"]["people"][number];
type Invitation = Routes["GET /accounts/people"]["response"]["invitations"][number];

export function PeoplePage(): ReactNode {
  const { t } = useTranslation();
  const me = useMe();
  const can = useCan("live");
  const { isStaff } = useAssignableRoles();
  const [isInviting, { open, close }] = useDisclosure();
  const { people, invitations } = useSuspenseQuery({
    queryKey: ["people", me.organisationId],
    queryFn: () => requestAccounts("GET /accounts/people", {}),
  }).data;
  return (
    <>
      <PageHead title={t(`people.${isStaff ? "titleStaff" : "title"}`)} lede={findOrganisation(me)?.name}>
        <Group gap="xs">
          {!can("people.invite") && (
            <Text size="sm" c="dimmed">
              {t("people.mayNotInvite")}
            </Text>
          )}
          <Button onClick={open} disabled={!can("people.invite")}>
            {t("people.invite")}
          </Button>
        </Group>
      </PageHead>
      <Stack gap="xl">
        <Members people={people} />
        {people.length === 1 && invitations.length === 0 && (
          <EmptyState
            icon="people"
            title={t("people.aloneTitle")}
            lede={t(`people.${isStaff ? "aloneStaff" : "alone"}`)}
          />
        )}
        <OpenRecoveries />
        {invitations.length > 0 && <Invitations invitations={invitations} />}
        <RolePermissions />
      </Stack>
      <Modal opened={isInviting} onClose={close} title={t("people.inviteTitle")} centered>
        <InviteForm onDone={close} />
      </Modal>
    </>
  );
}

function Members({ people }: { readonly people: readonly Member[] }): ReactNode {
  const { t } = useTranslation();
  const changeRole = useAct((to: { readonly personId: string; readonly role: Role }) =>
    requestAccounts("POST /accounts/people/change-role", to),
  );
  const endMembership = useAct((personId: string) =>
    requestAccounts("POST /accounts/people/end", { personId }),
  );
  const ended = [changeRole.data, endMembership.data].flatMap((done) => done?.endedInvitations ?? []);
  return (
    <section aria-label={t("people.title")}>
      <Failure error={changeRole.error ?? endMembership.error} />
      {ended.length > 0 && (
        <Text role="status">
          {t("people.endedInvitations", { addresses: ended.map(({ email }) => email).join(", ") })}
        </Text>
      )}
      <ul className="rows">
        {people.map((member) => (
          <MemberRow
            key={member.personId}
            member={member}
            onChange={(role) => changeRole.mutate({ personId: member.personId, role })}
            onEnd={() => endMembership.mutate(member.personId)}
          />
        ))}
      </ul>
    </section>
  );
}

interface MemberRowProps {
  readonly member: Member;
  readonly onChange: (role: Role) => void;
  readonly onEnd: () => void;
}

function MemberRow({ member, onChange, onEnd }: MemberRowProps): ReactNode {
  const { t } = useTranslation();
  const { person } = useMe();
  const isPermitted = useCan("live")("people.change");
  const [isDialogOpen, { open, close }] = useDisclosure();
  const { roles } = useAssignableRoles();
  const { personId, name, email, role } = member;
  return (
    <li className="row row-acts">
      <span className="row-what">
        <strong>
          {name}{" "}
          {personId === person.personId && (
            <Text span c="dimmed">
              {t("people.you")}
            </Text>
          )}
        </strong>
        <small>{email}</small>
        <SignInMethods member={member} />
      </span>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label={t("people.roleOf", { name })}
          value={role}
          disabled={!isPermitted}
          onChange={({ currentTarget: { value } }) => onChange(value as Role)}
          data={roles.map((value) => ({ value, label: t(`roles.${value}`) }))}
        />
        {isPermitted && personId !== person.personId && <VouchButton personId={personId} name={name} />}
        <Button
          variant="default"
          size="xs"
          disabled={!isPermitted}
          onClick={open}
          aria-label={t("people.endNamed", { name })}
        >
          {t("people.end")}
        </Button>
      </Group>
      <Modal opened={isDialogOpen} onClose={close} title={t("people.endNamed", { name })} centered>
        <Stack>
          <Text>{t("people.endMeans", { name })}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              {t("people.keep")}
            </Button>
            <Button
              color="red.9"
              onClick={() => {
                close();
                onEnd();
              }}
            >
              {t("people.end")}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </li>
  );
}

/** The sign-in methods of a person, so that unused accounts and people without a second passkey are visible. */
function SignInMethods({
  member: { passkeyCount, sessionCount, signedInAt },
}: {
  readonly member: Member;
}): ReactNode {
  const { t } = useTranslation();
  return (
    <small>
      {t("people.passkeys", { number: passkeyCount })}
      {signedInAt && (
        <>
          {" "}
          · {t("people.signedIn")} <Moment at={signedInAt} />
        </>
      )}
      {sessionCount > 0 && ` · ${t("people.sessions", { number: sessionCount })}`}
      {!signedInAt && sessionCount === 0 && ` · ${t("people.neverSignedIn")}`}
    </small>
  );
}

function Invitations({ invitations }: { readonly invitations: readonly Invitation[] }): ReactNode {
  const { t } = useTranslation();
  const isPermitted = useCan("live")("people.invite");
  const revoke = useAct((invitationId: string) =>
    requestAccounts("POST /accounts/invitations/revoke", { invitationId }),
  );
  return (
    <section aria-labelledby="invitations">
      <Title order={2} size="h4" mb="sm" id="invitations">
        {t("people.invitations")}
      </Title>
      <Failure error={revoke.error} />
      <ul className="rows">
        {invitations.map(({ invitationId, email, role, expiresAt }) => (
          <li key={invitationId} className="row row-acts">
            <span className="row-what">
              <strong>{email}</strong>
              <small>
                {t(`roles.${role}`)} · {t("people.expires")} <Moment at={expiresAt} />
              </small>
            </span>
            <Button
              variant="default"
              size="xs"
              disabled={!isPermitted}
              onClick={() => revoke.mutate(invitationId)}
            >
              {t("people.takeBack")}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
