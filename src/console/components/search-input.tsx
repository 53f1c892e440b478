import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';

interface TypedInputProps {
  label: string;
  placeholder?: string;
  icon?: ReactNode;
  value: string;
  /** Told of what is typed when the typing pauses. */
  onPause: (value: string) => void;
}

const PAUSE_MS = 300;

/** A text that something is looked for by, as it is typed. */
export function TypedInput({ value, onPause, icon, ...props }: TypedInputProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  const tell = useDebouncedCallback(onPause, PAUSE_MS);
  // Changed from elsewhere: by going back, or by a button that clears it.
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  const change = (typed: string): void => {
    setText(typed);
    tell(typed);
  };
  return (
    <TextInput
      {...props}
      type="search"
      w={{ base: '100%', xs: 300 }}
      maxLength={500}
      leftSection={icon}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      rightSection={
        text && (
          <CloseButton
            size="sm"
            aria-label={`Clear ${props.label.toLowerCase()}`}
            onClick={() => change('')}
          />
        )
      }
    />
  );
}
