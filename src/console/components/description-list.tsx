import { SimpleGrid, type StyleProp, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface DescriptionListProps {
  items: readonly (readonly [name: string, value: ReactNode])[];
  columns?: StyleProp<number>;
}

/** Names and values as a description list; omits empty values. */
export function DescriptionList({ items, columns = 1 }: DescriptionListProps) {
  return (
    <SimpleGrid component="dl" m={0} cols={columns} spacing="sm">
      {items
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} size="sm" className="breakable">
              {value}
            </Text>
          </div>
        ))}
    </SimpleGrid>
  );
}
