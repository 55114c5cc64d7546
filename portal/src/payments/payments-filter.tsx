import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Views } from "../generated/console.ts";
import type { PaymentsFilter } from "../search-params.ts";
import { dayStart } from "../components/day-start.ts";
import { readFields } from "../components/read-fields.ts";
import { paymentStatusTones, type DisplayStatus } from "../components/payment-status-badge.tsx";

const from = "/shell/$environment/payments";

/** The filter in the URL, with the server's field names. */
export function usePaymentsFilter(): Omit<Views["payments"]["request"], "cursor"> {
  const { search, displayStatus, paymentMethodType, currency, ...days } = useSearch({ from });
  return {
    ...(search && { search }),
    ...(displayStatus && { displayStatus }),
    ...(paymentMethodType && { paymentMethodType }),
    ...(currency && { currency }),
    ...(days.from && { createdFrom: dayStart(days.from, 0) }),
    ...(days.until && { createdUntil: dayStart(days.until, 1) }),
  };
}

export function PaymentsFilterForm(): ReactNode {
  const { t } = useTranslation();
  const filter = useSearch({ from });
  const navigate = useNavigate();
  const set = (changed: PaymentsFilter): void =>
    void navigate({ to: ".", search: (before) => withoutEmpty({ ...before, ...changed }) });
  const text = (name: "paymentMethodType" | "currency" | "from" | "until") => ({
    // The key recreates the field when the URL changes without it, such as by the back button.
    key: `${name} ${filter[name] ?? ""}`,
    defaultValue: filter[name] ?? "",
  });
  const isFiltered = Object.keys(usePaymentsFilter()).length > 0;
  const statuses = Object.keys(paymentStatusTones) as DisplayStatus[];
  return (
    <Group align="flex-end" gap="sm" className="search">
      <SearchBox search={filter.search ?? ""} onSearch={(search) => set({ search })} />
      <NativeSelect
        label={t("payments.status")}
        value={filter.displayStatus ?? ""}
        onChange={({ currentTarget: { value } }) => set({ displayStatus: value as DisplayStatus })}
        data={[
          { value: "", label: t("payments.anyStatus") },
          ...statuses.map((value) => ({ value, label: t(`paymentStatus.${value}`) })),
        ]}
      />
      <TextInput
        {...text("paymentMethodType")}
        label={t("search.method")}
        placeholder={t("search.methodHint")}
        w="9.5rem"
        onBlur={({ currentTarget: { value } }) => set({ paymentMethodType: value.trim().toUpperCase() })}
      />
      <TextInput
        {...text("currency")}
        label={t("search.currency")}
        placeholder={t("search.currencyHint")}
        w="8rem"
        maxLength={3}
        onBlur={({ currentTarget: { value } }) => set({ currency: value.trim().toUpperCase() })}
      />
      {(["from", "until"] as const).map((name) => (
        <TextInput
          {...text(name)}
          key={`${name} ${filter[name] ?? ""}`}
          type="date"
          label={t(`search.${name}`)}
          onBlur={({ currentTarget: { value } }) => set({ [name]: value })}
        />
      ))}
      {isFiltered && (
        <Button variant="subtle" onClick={() => void navigate({ to: ".", search: {} })}>
          {t("search.clear")}
        </Button>
      )}
    </Group>
  );
}

interface SearchBoxProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

function SearchBox({ search, onSearch }: SearchBoxProps): ReactNode {
  const { t } = useTranslation();
  return (
    <form
      role="search"
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(readFields(event.currentTarget, ["search"]).search);
      }}
    >
      <TextInput
        name="search"
        type="search"
        label={t("search.label")}
        placeholder={t("search.hint")}
        maxLength={64}
        key={search}
        defaultValue={search}
      />
      <Button type="submit">{t("search.go")}</Button>
    </form>
  );
}

/** Removes empty values from the URL. */
function withoutEmpty(filter: PaymentsFilter): PaymentsFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
}
