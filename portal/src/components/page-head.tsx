import { Group, Text, Title } from "@mantine/core";
import { useEffect, type ReactNode } from "react";

interface Props {
  readonly title: string;
  readonly lede?: ReactNode;
  /** Actions of the page. */
  readonly children?: ReactNode;
}

export function PageHead({ title, lede, children }: Props): ReactNode {
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="md">
      <div>
        <Title order={1} size="h2">
          {title}
        </Title>
        {lede && (
          <Text c="dimmed" mt={4} maw="44rem">
            {lede}
          </Text>
        )}
      </div>
      {children}
    </Group>
  );
}
