import { Button, Collapse, Group, Select, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useSearchParams } from 'wouter';
import { MAX_INT32 } from '../../../../shared/int32.ts';
import { MAX_DELIVERY_SEARCH } from '../../../../shared/text-limits.ts';
import { FIRST_PAGE } from '../../../api/use-page-position.ts';
import { DateTimeInput } from '../../../components/date-time-input.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import type { WebhookDeliveryStatus } from '../../../generated/graphql.ts';
import { invalidParams, readChoiceParam, readTimeParam, withSearchParams } from '../../../search-params.ts';
import { type Endpoint, endpointName } from '../endpoints/use-endpoints.ts';
import { useEventNames } from '../use-event-types.ts';
import { type DeliveryFilter, hasId } from './delivery-queries.ts';
import { DELIVERY_STATUSES } from './delivery-status.ts';
import { IdSearch, isId } from './id-search.tsx';

/** Filter of the delivery list, kept in the URL. */
interface DeliveryView {
  filter: DeliveryFilter;
  /** Parameters of the address that are not valid. */
  invalid: string[];
  /** Changes the filter and returns to the newest page. */
  setFilter(change: Partial<DeliveryFilter>): void;
  clearFilters(): void;
}

const PARAM_NAMES = {
  endpointId: 'endpoint',
  status: 'status',
  event: 'event',
  eventId: 'event_id',
  conversationId: 'conversation',
  text: 'text',
  since: 'since',
  until: 'until',
} as const satisfies Record<keyof DeliveryFilter, string>;

const NO_FILTER = Object.fromEntries(Object.values(PARAM_NAMES).map((name) => [name, null]));

/** Returns true for a number that can be the ID of an endpoint. */
const isEndpointId = (id: number): boolean => Number.isInteger(id) && id > 0 && id <= MAX_INT32;

function readIdParam(params: URLSearchParams, name: string): string | null {
  const id = params.get(name);
  return id !== null && isId(id) ? id : null;
}

/** Reads the filter from the URL; invalid values are null. */
export function readDeliveryFilter(params: URLSearchParams): DeliveryFilter {
  const selectedEndpointId = Number(params.get(PARAM_NAMES.endpointId));
  const eventId = readIdParam(params, PARAM_NAMES.eventId);
  const conversationId = readIdParam(params, PARAM_NAMES.conversationId);
  return {
    endpointId: isEndpointId(selectedEndpointId) ? selectedEndpointId : null,
    status: readChoiceParam(params, PARAM_NAMES.status, DELIVERY_STATUSES),
    event: params.get(PARAM_NAMES.event),
    eventId,
    conversationId,
    text: params.get(PARAM_NAMES.text) || null,
    since: readTimeParam(params, PARAM_NAMES.since),
    until: readTimeParam(params, PARAM_NAMES.until),
  };
}

/** @param endpointId the only endpoint that the page shows; null: the URL may select one */
export function useDeliveryView(endpointId: number | null): DeliveryView {
  const [params, setParams] = useSearchParams();
  const read = readDeliveryFilter(params);
  const filter = endpointId === null ? read : { ...read, endpointId };
  return {
    filter,
    invalid: invalidParams(
      params,
      Object.fromEntries(
        Object.entries(filter).map(([name, value]) => [PARAM_NAMES[name as keyof DeliveryFilter], value]),
      ),
    ),
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
    clearFilters: () => setParams((current) => withSearchParams(current, { ...FIRST_PAGE, ...NO_FILTER })),
  };
}

interface DeliveryFiltersProps {
  filter: DeliveryFilter;
  setFilter: (change: Partial<DeliveryFilter>) => void;
  /** Null without a filter. */
  clear: (() => void) | null;
  /** Options of the endpoint filter; undefined on the page of a single endpoint. */
  endpoints?: Endpoint[];
}

/** Fits two inputs side by side on a phone. */
const FLEX = '1 1 130px';
const MAX_WIDTH = { base: 'none', sm: 200 };

export function DeliveryFilters({ filter, setFilter, clear, endpoints }: DeliveryFiltersProps) {
  const eventNames = useEventNames();
  const { text, since, until } = filter;
  const [opened, { toggle }] = useDisclosure(
    hasId(filter) || [text, since, until].some((value) => value !== null),
  );
  return (
    <Stack gap="sm" flex="1 1 300px">
      <Group gap="sm" align="flex-end">
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
            data={endpoints.map((endpoint) => ({
              value: String(endpoint.id),
              label: endpointName(endpoint),
            }))}
            value={filter.endpointId === null ? null : String(filter.endpointId)}
            onChange={(id) => setFilter({ endpointId: id === null ? null : Number(id) })}
          />
        )}
        <Button
          variant="default"
          leftSection={<IconFilter size={16} aria-hidden />}
          aria-expanded={opened}
          onClick={toggle}
        >
          Search and time range
        </Button>
        {clear && (
          <Button variant="subtle" onClick={clear}>
            Clear filters
          </Button>
        )}
      </Group>
      <Collapse expanded={opened}>
        <Group gap="sm" align="flex-start">
          <IdSearch filter={filter} setFilter={setFilter} />
          <SearchInput
            label="Text in the payload"
            description={
              hasId(filter)
                ? 'Ignores case.'
                : 'Searches the newest 5,000 deliveries of the time range, ignoring case.'
            }
            maxLength={MAX_DELIVERY_SEARCH}
            value={text ?? ''}
            onSearch={(searched) => setFilter({ text: searched.trim() || null })}
          />
          <DateTimeInput label="Created since" value={since} onChange={(at) => setFilter({ since: at })} />
          <DateTimeInput label="Created before" value={until} onChange={(at) => setFilter({ until: at })} />
        </Group>
      </Collapse>
    </Stack>
  );
}
