import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** What is known of a thing: names and values, those without a value left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Box component="dl" m={0} style={{ display: 'grid', gap: 'var(--mantine-spacing-sm)' }}>
      {facts
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
    </Box>
  );
}
