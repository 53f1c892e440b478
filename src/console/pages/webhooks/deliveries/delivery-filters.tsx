import { Group, Select } from '@mantine/core';
import type { WebhookDeliveryStatus } from '../../../generated/graphql.ts';
import { type DeliveryFilter, STATUSES } from '../delivery-queries.ts';
import { type Endpoint, nameOf } from '../endpoints/use-endpoints.ts';
import { useEventTypes } from '../use-event-types.ts';

interface DeliveryFiltersProps {
  filter: DeliveryFilter;
  narrow: (change: Partial<DeliveryFilter>) => void;
  /** Endpoints to choose from; undefined: the page is about one. */
  endpoints?: Endpoint[];
}

/** Two beside each other on a phone. */
const FLEX = '1 1 130px';
const WIDEST = { base: 'none', sm: 200 };

export function DeliveryFilters({ filter, narrow, endpoints }: DeliveryFiltersProps) {
  const eventTypes = useEventTypes();
  return (
    <Group gap="sm" flex="1 1 300px">
      <Select
        label="Status"
        placeholder="Any"
        clearable
        flex={FLEX}
        maw={WIDEST}
        data={STATUSES}
        value={filter.status}
        onChange={(status) => narrow({ status: status as WebhookDeliveryStatus | null })}
      />
      <Select
        label="Event"
        placeholder="Any"
        clearable
        flex={FLEX}
        maw={WIDEST}
        data={eventTypes.map(({ name }) => name)}
        value={filter.event}
        onChange={(event) => narrow({ event })}
      />
      {endpoints && (
        <Select
          label="Endpoint"
          placeholder="Any"
          clearable
          searchable
          flex="2 1 220px"
          maw={{ base: 'none', sm: 300 }}
          data={endpoints.map((endpoint) => ({ value: String(endpoint.id), label: nameOf(endpoint) }))}
          value={filter.endpointId === null ? null : String(filter.endpointId)}
          onChange={(id) => narrow({ endpointId: id === null ? null : Number(id) })}
        />
      )}
    </Group>
  );
}
