import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { MAX_TEXT } from '../../shared/text-limits.ts';

interface SearchInputProps
  extends Pick<TextInputProps, 'placeholder' | 'description' | 'error' | 'disabled' | 'maxLength'> {
  label: string;
  icon?: ReactNode;
  value: string;
  /** Called with the text when typing pauses. */
  onSearch: (text: string) => void;
  /** Called when Enter is pressed and the text is already searched for. */
  onEnter?: (withShift: boolean) => void;
}

const DEBOUNCE_MS = 300;

/** Text input that searches while the user types. */
export function SearchInput({ value, onSearch, onEnter, icon, ...props }: SearchInputProps) {
  const [text, setText] = useState(value);
  const [previousValue, setPreviousValue] = useState(value);
  const searchDebounced = useDebouncedCallback(onSearch, DEBOUNCE_MS);
  // The value also changes from outside: on back navigation and by “Clear filters”.
  if (value !== previousValue) {
    setPreviousValue(value);
    setText(value);
  }
  const change = (next: string): void => {
    setText(next);
    searchDebounced(next);
  };
  const pressKey = ({ key, shiftKey }: KeyboardEvent): void => {
    if (key !== 'Enter') return;
    if (text === value) onEnter?.(shiftKey);
    else searchDebounced.flush();
  };
  return (
    <TextInput
      maxLength={MAX_TEXT}
      {...props}
      type="search"
      w={{ base: '100%', xs: 280 }}
      leftSection={icon}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      onKeyDown={pressKey}
      rightSection={
        text && (
          <CloseButton
            size={24}
            aria-label={`Clear ${props.label.toLowerCase()}`}
            onClick={() => change('')}
          />
        )
      }
    />
  );
}
