import { Button, Group, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { fieldsOf } from "./fields-of.ts";

interface Props {
  readonly label: string;
  readonly go: string;
  readonly sought: string | undefined;
  readonly seek: (of: string) => void;
}

/** A search field with a button. */
export function Seek({ label, go, sought = "", seek }: Props): ReactNode {
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        seek(fieldsOf(event.currentTarget, ["of"]).of.trim());
      }}
    >
      <Group align="flex-end" mb="lg" wrap="nowrap">
        <TextInput
          key={sought}
          name="of"
          label={label}
          defaultValue={sought}
          maxLength={100}
          flex={1}
          maw="32rem"
        />
        <Button type="submit">{go}</Button>
      </Group>
    </form>
  );
}
