import { Table, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

interface Props {
  readonly title: string;
  readonly lede?: ReactNode;
  /** The header and the rows of the same data as a table. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly children: ReactNode;
}

/** A chart with its data as a table, which screen readers can read. */
export function Figure({ title, lede, head, rows, children }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="figure">
      <Title order={2} size="h4">
        {title}
      </Title>
      {lede && (
        <Text size="sm" c="dimmed">
          {lede}
        </Text>
      )}
      {children}
      {rows.length > 0 && (
        <details className="more">
          <summary aria-label={`${t("charts.asTable")}: ${title}`}>{t("charts.asTable")}</summary>
          <Table.ScrollContainer minWidth={320} mah="20rem">
            <Table>
              <Table.Thead>
                <Table.Tr>
                  {head.map((name, index) => (
                    <Table.Th key={name} ta={index === 0 ? "left" : "right"}>
                      {name}
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.map((cells) => (
                  <Table.Tr key={cells[0]}>
                    {cells.map((cell, index) => (
                      <Table.Td key={head[index]} ta={index === 0 ? "left" : "right"} className="figure-cell">
                        {cell}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </details>
      )}
    </section>
  );
}
