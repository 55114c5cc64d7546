import { Button, Group, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { readFields } from "./read-fields.ts";

interface Props {
  readonly label: string;
  readonly buttonLabel: string;
  readonly searchText: string | undefined;
  readonly onSearch: (of: string) => void;
}

/** A search field with a button. */
export function SearchField({ label, buttonLabel, searchText = "", onSearch }: Props): ReactNode {
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(readFields(event.currentTarget, ["of"]).of.trim());
      }}
    >
      <Group align="flex-end" mb="lg" wrap="nowrap">
        <TextInput
          key={searchText}
          name="of"
          label={label}
          defaultValue={searchText}
          maxLength={100}
          flex={1}
          maw="32rem"
        />
        <Button type="submit">{buttonLabel}</Button>
      </Group>
    </form>
  );
}
