import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Collapsed list of malformed fields, one `li` each. */
export const FieldWarnings = ({ summary, children }: { summary: string; children: ReactNode }) => (
  <Text component="details" size="sm" className="breakable">
    <summary>{summary}</summary>
    <ul>{children}</ul>
  </Text>
);
