import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session/session.tsx';
import { REFRESH_MS, useModel } from './drift-queries.ts';

const MODELS = graphql(`
  query DriftModels {
    driftModels
  }
`);

/** Selects the model of the page; renders nothing while there is one model only. */
export function ModelSelect({ onSelect }: { onSelect: (model: string | null) => void }) {
  const { call } = useSession();
  const selected = useModel();
  const { data: models } = useQuery({
    queryKey: queryKeys.driftModels,
    queryFn: async () => (await call(MODELS)).driftModels,
    refetchInterval: REFRESH_MS,
  });
  // The service lists the default model first.
  const [defaultModel] = models ?? [];
  if (!models || defaultModel === undefined) return null;
  const model = selected ?? defaultModel;
  // A model without samples can be selected by the address.
  const options = [...new Set([...models, model])];
  if (options.length === 1) return null;
  return (
    <Select
      label="Model"
      data={options}
      value={model}
      onChange={(next) => onSelect(next === defaultModel ? null : next)}
      allowDeselect={false}
      maw={280}
      mb="md"
    />
  );
}
