import { Autocomplete, CloseButton } from '@mantine/core';
import { useState } from 'react';
import { useDriftHistory } from './use-drift.ts';

interface FunnelStageInputProps {
  /** Null: all stages. */
  stage: string | null;
  onChange: (stage: string | null) => void;
}

/** Selects a funnel stage: a suggestion from the check history, or any other stage by its name. */
export function FunnelStageInput({ stage, onChange }: FunnelStageInputProps) {
  const { data } = useDriftHistory(null);
  const checkedStages = [...new Set((data ?? []).flatMap((check) => check.stage ?? []))].sort();
  const [text, setText] = useState(stage ?? '');
  const select = (value: string): void => {
    setText(value);
    if (value.trim() !== (stage ?? '')) onChange(value.trim() || null);
  };
  return (
    <Autocomplete
      aria-label="Funnel stage"
      placeholder="All stages"
      data={checkedStages}
      value={text}
      onChange={setText}
      onOptionSubmit={select}
      onBlur={() => select(text)}
      onKeyDown={({ key }) => key === 'Enter' && select(text)}
      rightSection={text && <CloseButton size="sm" aria-label="All stages" onClick={() => select('')} />}
      w={{ base: '100%', xs: 200 }}
    />
  );
}
