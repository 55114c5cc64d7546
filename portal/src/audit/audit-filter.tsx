import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { auditLogNames, useActNames } from "./act-names.ts";
import type { AuditFilter } from "./read-audit-filter.ts";
import type { AuditLog } from "./merge-audit-logs.ts";
import { useAuditFilter, type PersonName } from "./use-audit.ts";

interface Props {
  readonly auditLogs: readonly AuditLog[];
  readonly names: ReadonlyMap<string, PersonName>;
  readonly hasProvider: boolean;
}

/** The form with the filters person, action, place and date. */
export function AuditFilterForm({ auditLogs, names, hasProvider }: Props): ReactNode {
  const { t } = useTranslation();
  const { groups, actName } = useActNames();
  const filter = useAuditFilter();
  const navigate = useNavigate();
  const set = (changed: AuditFilter): void => {
    const nonEmpty = Object.entries({ ...filter, ...changed }).filter(([, value]) => value);
    void navigate({ to: ".", search: Object.fromEntries(nonEmpty) });
  };
  const select = (name: "who" | "what" | "where") => ({
    label: t(`audit.${name}`),
    value: filter[name] ?? "",
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      set({ [name]: value }),
  });
  const people = [...names].map(([value, { name, email }]) => ({ value, label: `${name} (${email})` }));
  const isListed = filter.who === undefined || filter.who === "provider" || names.has(filter.who);
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        {...select("who")}
        maw="16rem"
        data={[
          { value: "", label: t("audit.anybody") },
          ...(isListed ? [] : [{ value: filter.who ?? "", label: filter.who ?? "" }]),
          ...people,
          ...(hasProvider ? [{ value: "provider", label: t("audit.provider") }] : []),
        ]}
      />
      <NativeSelect
        {...select("what")}
        maw="16rem"
        data={[
          { value: "", label: t("audit.anything") },
          ...(["accounts", "gateways", "provider"] as const).map((group) => ({
            group: t(`audit.groups.${group}`),
            items: Object.keys(groups[group]).map((value) => ({ value, label: actName(value) })),
          })),
        ]}
      />
      <NativeSelect
        {...select("where")}
        data={[
          { value: "", label: t("audit.everywhere") },
          ...auditLogs.map((value) => ({ value, label: t(auditLogNames[value]) })),
        ]}
      />
      {(["from", "until"] as const).map((name) => (
        <TextInput
          // The key recreates the field when the URL changes without it, such as by the back button.
          key={`${name} ${filter[name] ?? ""}`}
          type="date"
          label={t(`search.${name}`)}
          defaultValue={filter[name] ?? ""}
          onBlur={({ currentTarget: { value } }) => {
            if (value !== (filter[name] ?? "")) set({ [name]: value });
          }}
        />
      ))}
      {Object.keys(filter).length > 0 && (
        <Button variant="subtle" onClick={() => void navigate({ to: ".", search: {} })}>
          {t("search.clear")}
        </Button>
      )}
    </Group>
  );
}
