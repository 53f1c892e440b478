import { Group, Select } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { MAX_INT32 } from '../../../../shared/int32.ts';
import { FIRST_PAGE } from '../../../api/use-page-position.ts';
import type { WebhookDeliveryStatus } from '../../../generated/graphql.ts';
import { invalidParams, readChoiceParam, withSearchParams } from '../../../search-params.ts';
import { type Endpoint, endpointName } from '../endpoints/use-endpoints.ts';
import { useEventNames } from '../use-event-types.ts';
import { DELIVERY_STATUSES, type DeliveryFilter } from './delivery-queries.ts';

/** Filter of the delivery list, kept in the URL. */
interface DeliveryView {
  filter: DeliveryFilter;
  /** Parameters of the address that are not valid. */
  invalid: string[];
  /** Changes the filter and returns to the newest page. */
  setFilter(change: Partial<DeliveryFilter>): void;
}

const PARAM_NAMES = { endpointId: 'endpoint', status: 'status', event: 'event' } as const;

/** Returns true for a number that can be the ID of an endpoint. */
const isEndpointId = (id: number): boolean => Number.isInteger(id) && id > 0 && id <= MAX_INT32;

/** @param endpointId the only endpoint that the page shows; null: the URL may select one */
export function useDeliveryView(endpointId: number | null): DeliveryView {
  const [params, setParams] = useSearchParams();
  const selectedEndpointId = Number(params.get(PARAM_NAMES.endpointId));
  const filter = {
    endpointId: endpointId ?? (isEndpointId(selectedEndpointId) ? selectedEndpointId : null),
    status: readChoiceParam(params, PARAM_NAMES.status, DELIVERY_STATUSES),
    event: params.get(PARAM_NAMES.event),
  };
  return {
    filter,
    invalid: invalidParams(params, {
      [PARAM_NAMES.endpointId]: filter.endpointId,
      [PARAM_NAMES.status]: filter.status,
    }),
    setFilter: (change) =>
      setParams((current) =>
        withSearchParams(current, {
          ...FIRST_PAGE,
          ...Object.fromEntries(
            Object.entries(change).map(([name, value]) => [
              PARAM_NAMES[name as keyof DeliveryFilter],
              value === null ? null : String(value),
            ]),
          ),
        }),
      ),
  };
}

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
  const eventNames = useEventNames();
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
        data={eventNames}
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
