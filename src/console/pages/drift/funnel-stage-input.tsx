import { Autocomplete, CloseButton } from '@mantine/core';
import { useState } from 'react';
import { useDriftHistory } from './use-drift.ts';

interface StageFieldProps {
  /** Null: all stages together. */
  stage: string | null;
  onChange: (stage: string | null) => void;
}

/**
 * Asks for a funnel stage. Those that were checked before are offered; another can be typed, since one that was never
 * checked is not known here.
 */
export function StageField({ stage, onChange }: StageFieldProps) {
  const { data } = useDriftHistory(null);
  const known = [...new Set((data ?? []).flatMap((check) => check.stage ?? []))].sort();
  const [typed, setTyped] = useState(stage ?? '');
  const choose = (value: string): void => {
    setTyped(value);
    if (value.trim() !== (stage ?? '')) onChange(value.trim() || null);
  };
  return (
    <Autocomplete
      aria-label="Funnel stage"
      placeholder="All stages"
      data={known}
      value={typed}
      onChange={setTyped}
      onOptionSubmit={choose}
      onBlur={() => choose(typed)}
      onKeyDown={({ key }) => key === 'Enter' && choose(typed)}
      rightSection={typed && <CloseButton size="sm" aria-label="All stages" onClick={() => choose('')} />}
      w={{ base: '100%', xs: 200 }}
    />
  );
}
