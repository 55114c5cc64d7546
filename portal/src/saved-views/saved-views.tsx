import { ActionIcon, Button, Modal, NavLink, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useLocation, useNavigate } from "@tanstack/react-router";
import type { MouseEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { Icon } from "../components/icons.tsx";
import { useSavedViews, type SavedView } from "./use-saved-views.ts";

/** Filters are part of the URL, so a saved view is a URL with a name. Each person has their own views. */
export function SavedViews(): ReactNode {
  const { t } = useTranslation();
  const views = useSavedViews();
  const { href, pathname } = useLocation();
  const isInside = /^\/(?:sandbox|live)(?:\/|$)/.test(pathname);
  if (views.length === 0 && !isInside) return undefined;
  return (
    <nav aria-label={t("savedViews.title")}>
      <Text className="side-heading">{t("savedViews.title")}</Text>
      {views.map((view) => (
        <SavedViewItem key={view.name} view={view} isHere={view.address === href} />
      ))}
      {isInside && <SaveView address={href} />}
    </nav>
  );
}

function SavedViewItem({
  view: { name, address },
  isHere,
}: {
  readonly view: SavedView;
  readonly isHere: boolean;
}): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const remove = useAct(() => requestAccounts("POST /accounts/saved-views/remove", { name }));
  const openView = (event: MouseEvent): void => {
    // A click with a modifier key opens another tab, as usual for links.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    void navigate({ href: address });
  };
  return (
    <div className="saved-view">
      <NavLink
        component="a"
        href={address}
        onClick={openView}
        label={name}
        description={t(`environments.${address.startsWith("/live") ? "live" : "sandbox"}`)}
        leftSection={<Icon name="saved" />}
        active={isHere}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        loading={remove.isPending}
        onClick={() => remove.mutate()}
        aria-label={t("savedViews.remove", { name })}
      >
        <Icon name="remove" size={14} />
      </ActionIcon>
    </div>
  );
}

function SaveView({ address }: { readonly address: string }): ReactNode {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure();
  const save = useAct(
    (name: string) => requestAccounts("POST /accounts/saved-views", { name, address }),
    close,
  );
  return (
    <>
      <Button variant="subtle" size="compact-sm" onClick={open} className="save-view">
        {t("savedViews.save")}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t("savedViews.saveTitle")} centered>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate(readFields(event.currentTarget, ["name"]).name);
          }}
        >
          <Stack>
            <Text>{t("savedViews.lede")}</Text>
            <Failure error={save.error} />
            <TextInput
              name="name"
              label={t("savedViews.name")}
              description={t("savedViews.nameHint")}
              maxLength={100}
              required
              data-autofocus
            />
            <Text size="sm" className="id">
              {address}
            </Text>
            <Button type="submit" loading={save.isPending}>
              {t("savedViews.do")}
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
