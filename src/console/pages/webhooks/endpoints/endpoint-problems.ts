import { CERTIFICATE_WARNING_DAYS } from '../../../../shared/endpoint-limits.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { DAY_MS } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import type { EndpointRowFragment, LatestAttemptsFragment } from '../../../generated/graphql.ts';
import { bySeverity, type OpenIssue } from '../../../open-issue.ts';
import type { Session } from '../../../session/session.tsx';
import { describeError } from '../deliveries/delivery-errors.ts';
import { disabledTitle, nearCertificateExpiry } from './use-endpoints.ts';

const MONITORED_ENDPOINTS = graphql(`
  query MonitoredEndpoints {
    webhookEndpoints(first: 50) {
      edges {
        node {
          ...EndpointRow
          ...LatestAttempts
        }
      }
    }
  }
  fragment LatestAttempts on WebhookEndpoint {
    succeeded: deliveries(first: 1, status: succeeded) {
      edges {
        node {
          ...LatestAttempt
        }
      }
    }
    retrying: deliveries(first: 1, status: retrying) {
      edges {
        node {
          ...LatestAttempt
        }
      }
    }
    failed: deliveries(first: 1, status: failed) {
      edges {
        node {
          ...LatestAttempt
        }
      }
    }
  }
  fragment LatestAttempt on WebhookDelivery {
    error
    lastAttemptAt
  }
`);

/** An endpoint with the results of its newest deliveries. */
export type MonitoredEndpoint = EndpointRowFragment & LatestAttemptsFragment;

/** The customer's endpoints with the results of their newest deliveries. */
export const monitoredEndpointsQuery = ({ call, customerId }: Session) => ({
  queryKey: queryKeys.endpointList(customerId, 'monitored'),
  queryFn: async () => (await call(MONITORED_ENDPOINTS)).webhookEndpoints.edges.map(({ node }) => node),
});

/** What is wrong with an endpoint; an open issue without the name of the endpoint. */
export interface EndpointProblem extends Pick<OpenIssue, 'id' | 'severity' | 'age'> {
  title: string;
}

const isWithinDay = (at: string, nowMs: number): boolean => nowMs - Date.parse(at) < DAY_MS;

/**
 * Returns the latest error of an open circuit, or else that of the latest attempt; null if it succeeded, and without an
 * attempt in the last 24 hours. Deliveries without an attempt do not count, however many wait: the newest delivery of each
 * attempted status decides.
 */
function currentError(
  { circuit, succeeded, retrying, failed }: MonitoredEndpoint,
  nowMs: number,
): string | null {
  if (circuit.reason !== null) return circuit.reason;
  // An aborted attempt does not indicate a problem with the receiver.
  const attempted = [succeeded, retrying, failed].flatMap(({ edges }) =>
    edges.flatMap(({ node: { error, lastAttemptAt } }) =>
      lastAttemptAt !== null && error !== 'aborted' && isWithinDay(lastAttemptAt, nowMs)
        ? [{ error, lastAttemptAt }]
        : [],
    ),
  );
  attempted.sort((a, b) => Date.parse(b.lastAttemptAt) - Date.parse(a.lastAttemptAt));
  return attempted[0]?.error ?? null;
}

/** Returns the time of the latest success; null if none is stored. */
const lastSuccess = ({ succeeded }: MonitoredEndpoint): string | null =>
  succeeded.edges[0]?.node.lastAttemptAt ?? null;

/** Returns true for an endpoint that fails now, and has no stored success that tells since when. */
export const isWithoutSuccess = (endpoint: MonitoredEndpoint): boolean =>
  endpoint.enabled &&
  !endpoint.paused &&
  lastSuccess(endpoint) === null &&
  currentError(endpoint, Date.now()) !== null;

/** Since when an endpoint fails: its last success, or its first failure without one. */
function failureAge(endpoint: MonitoredEndpoint, failingSince: string | null): OpenIssue['age'] {
  const succeededAt = lastSuccess(endpoint);
  if (succeededAt !== null) return { label: 'last success', at: succeededAt };
  return failingSince === null ? null : { label: 'first failure', at: failingSince };
}

interface ProblemContext {
  nowMs: number;
  /** First failure since the last success; null if it is not known. */
  failingSince: string | null;
}

/**
 * Lists the problems of an endpoint: the service disabled it, it is paused, its latest attempt failed, or its client
 * certificate expires. An endpoint that was disabled manually is listed for 24 hours only.
 */
export function endpointProblems(
  endpoint: MonitoredEndpoint,
  { nowMs, failingSince }: ProblemContext,
): EndpointProblem[] {
  const { id, enabled, paused, disabledReason, updatedAt } = endpoint;
  if (!enabled) {
    if (disabledReason === 'manual' && !isWithinDay(updatedAt, nowMs)) return [];
    const severity = disabledReason === 'manual' ? 'info' : 'critical';
    const age = { label: 'disabled', at: updatedAt };
    return [{ id: `disabled:${id}:${updatedAt}`, severity, title: disabledTitle(disabledReason), age }];
  }
  const expiresAt = nearCertificateExpiry(endpoint);
  const problems: EndpointProblem[] = expiresAt ? [certificateProblem(id, { expiresAt, nowMs })] : [];
  // The failures before the pause do not go on.
  if (paused)
    return [
      ...problems,
      {
        id: `paused:${id}`,
        severity: 'info',
        title: 'Endpoint paused; its deliveries wait',
        age: null,
      },
    ];
  const error = currentError(endpoint, nowMs);
  if (error === null) return problems;
  const title = `Endpoint failing now (${describeError(error).title})`;
  const age = failureAge(endpoint, failingSince);
  return [...problems, { id: `failing:${id}:${error}`, severity: 'critical', title, age }];
}

function certificateProblem(
  id: number,
  { expiresAt, nowMs }: { expiresAt: string; nowMs: number },
): EndpointProblem {
  const isExpired = Date.parse(expiresAt) <= nowMs;
  return {
    id: `certificate:${id}:${expiresAt}`,
    severity: isExpired ? 'critical' : 'warning',
    title: `Client certificate ${isExpired ? 'has expired' : `expires within ${CERTIFICATE_WARNING_DAYS} days`}`,
    age: { label: isExpired ? 'expired' : 'expires', at: expiresAt },
  };
}

interface RankedEndpoint<E> {
  endpoint: E;
  /** Problems that need attention, most urgent first. */
  problems: EndpointProblem[];
}

/** Sorts endpoints by their most urgent problem, and keeps the order of those that are equally urgent. */
export function rankEndpoints<E extends MonitoredEndpoint>(endpoints: readonly E[]): RankedEndpoint<E>[] {
  const nowMs = Date.now();
  const ranked = endpoints.map((endpoint) => {
    const problems = endpointProblems(endpoint, { nowMs, failingSince: null });
    // Problems of the severity `info` are a user's decision.
    return { endpoint, problems: problems.filter(({ severity }) => severity !== 'info').sort(bySeverity) };
  });
  return ranked.sort(({ problems: [a] }, { problems: [b] }) =>
    a && b ? bySeverity(a, b) : Number(!a) - Number(!b),
  );
}
