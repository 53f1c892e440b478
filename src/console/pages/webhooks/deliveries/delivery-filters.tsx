import { Group, Select } from '@mantine/core';
import type { WebhookDeliveryStatus } from '../../../generated/graphql.ts';
import { DELIVERY_STATUSES, type DeliveryFilter } from '../delivery-queries.ts';
import { type Endpoint, endpointName } from '../endpoints/use-endpoints.ts';
import { useEventTypes } from '../use-event-types.ts';

interface DeliveryFiltersProps {
  filter: DeliveryFilter;
  setFilter: (change: Partial<DeliveryFilter>) => void;
  /** Options of the endpoint filter; undefined on the page of a single endpoint. */
  endpoints?: Endpoint[];
}

/** Fits two inputs side by side on a phone. */
const FLEX = '1 1 130px';
const MAX_WIDTH = { base: 'none', sm: 200 };

export function DeliveryFilters({ filter, setFilter, endpoints }: DeliveryFiltersProps) {
  const eventTypes = useEventTypes();
  return (
    <Group gap="sm" flex="1 1 300px">
      <Select
        label="Status"
        placeholder="Any"
        clearable
        flex={FLEX}
        maw={MAX_WIDTH}
        data={DELIVERY_STATUSES}
        value={filter.status}
        onChange={(status) => setFilter({ status: status as WebhookDeliveryStatus | null })}
      />
      <Select
        label="Event"
        placeholder="Any"
        clearable
        flex={FLEX}
        maw={MAX_WIDTH}
        data={eventTypes.map(({ name }) => name)}
        value={filter.event}
        onChange={(event) => setFilter({ event })}
      />
      {endpoints && (
        <Select
          label="Endpoint"
          placeholder="Any"
          clearable
          searchable
          flex="2 1 220px"
          maw={{ base: 'none', sm: 300 }}
          data={endpoints.map((endpoint) => ({ value: String(endpoint.id), label: endpointName(endpoint) }))}
          value={filter.endpointId === null ? null : String(filter.endpointId)}
          onChange={(id) => setFilter({ endpointId: id === null ? null : Number(id) })}
        />
      )}
    </Group>
  );
}
