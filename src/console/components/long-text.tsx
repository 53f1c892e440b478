import { Spoiler, Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface LongTextProps extends TextProps {
  children: ReactNode;
  /** Number of lines before the text is expanded. */
  lines?: number;
}

const LINE_HEIGHT_PX = 20;

/** Clamped text with a button that shows all of it, for text that no other page shows in full. */
export const LongText = ({ children, lines = 2, ...props }: LongTextProps) => (
  <Spoiler
    maxHeight={lines * LINE_HEIGHT_PX}
    showLabel="Show all"
    hideLabel="Show less"
    styles={{ control: { fontSize: 'var(--mantine-font-size-xs)', minHeight: 24 } }}
  >
    <Text size="sm" className="breakable" lh={`${LINE_HEIGHT_PX}px`} {...props}>
      {children}
    </Text>
  </Spoiler>
);
