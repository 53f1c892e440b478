import { useQuery } from '@tanstack/react-query';
import { CERTIFICATE_WARNING_DAYS } from '../../../../shared/endpoint-limits.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { DAY_MS } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import type {
  EndpointRowFragment,
  WebhookDisabledReason,
  WebhookSigning,
} from '../../../generated/graphql.ts';
import { type Session, useSession } from '../../../session/session.tsx';

/** A customer has at most 50 endpoints, so one page contains all of them. */
const ENDPOINTS = graphql(`
  query Endpoints {
    webhookEndpoints(first: 50) {
      edges {
        node {
          ...EndpointRow
        }
      }
    }
  }
  fragment EndpointRow on WebhookEndpoint {
    id
    url
    description
    events
    filter
    payload
    enabled
    disabledReason
    circuit {
      state
      since
      reason
    }
    headers
    authentication {
      oauth2 {
        tokenUrl
        clientId
        scope
        audience
        clientAuthentication
      }
      mtls {
        certificateExpiresAt
        certificateSubject
      }
    }
    signing
    publicKey
    previousSecretExpiresAt
    timeoutSeconds
    paused
    autoRecover
    ordering
    rateLimit {
      count
      perSeconds
    }
    createdAt
    updatedAt
  }
`);

export type Endpoint = EndpointRowFragment;

/** The service disables failing endpoints at any time. */
export const ENDPOINTS_REFRESH_MS = 15_000;

export const endpointsQuery = ({ call, customerId }: Session) => ({
  queryKey: queryKeys.endpointList(customerId, 'plain'),
  queryFn: async () => (await call(ENDPOINTS)).webhookEndpoints.edges.map(({ node }) => node),
});

/** Loads the customer's endpoints, newest first. */
export const useEndpoints = () =>
  useQuery({ ...endpointsQuery(useSession()), refetchInterval: ENDPOINTS_REFRESH_MS });

/** Display name of an endpoint. */
export const endpointName = ({ description, url }: Pick<Endpoint, 'description' | 'url'>): string =>
  description || url;

/** URL of an endpoint without its scheme, which is the same for almost all. */
export const endpointAddress = ({ url }: Pick<Endpoint, 'url'>): string => url.replace(/^https?:\/\//, '');

/** State of an endpoint as its badge shows it. While the circuit is not closed, its receiver accepts nothing. */
export const endpointState = ({
  enabled,
  paused,
  circuit,
}: Pick<Endpoint, 'enabled' | 'paused' | 'circuit'>) => {
  if (!enabled) return 'disabled';
  if (paused) return 'paused';
  return circuit.state === 'closed' ? 'enabled' : 'not_accepting';
};

/** What the console says of an endpoint whose circuit is not closed. */
export const NOT_ACCEPTING = {
  title: 'Its receiver accepts no deliveries',
  effect: 'One delivery at a time is tried',
};

const ENDPOINT = graphql(`
  query Endpoint($id: Int!) {
    webhookEndpoint(id: $id) {
      ...EndpointRow
    }
  }
`);

export const UPDATE_ENDPOINT = graphql(`
  mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(id: $id, input: $input) {
      id
    }
  }
`);

/** Loads an endpoint; null if the customer has no endpoint with this ID. */
export function useEndpoint(id: number) {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: queryKeys.endpoint(customerId, id),
    queryFn: async () => (Number.isInteger(id) ? (await call(ENDPOINT, { id })).webhookEndpoint : null),
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
}

/** Returns the expiry of an endpoint's client certificate if it is near or past; null otherwise. */
export function nearCertificateExpiry({ authentication }: Pick<Endpoint, 'authentication'>): string | null {
  const at = authentication?.mtls?.certificateExpiresAt;
  return at && Date.parse(at) - Date.now() < CERTIFICATE_WARNING_DAYS * DAY_MS ? at : null;
}

export const SIGNING_LABELS: Record<WebhookSigning, string> = {
  hmac: 'HMAC-SHA256, by the signing secret',
  ed25519: 'Ed25519, verified by a public key',
};

/** History state of the endpoint page right after the creation. */
export const CREATED_STATE = 'endpoint-created';

interface DisabledReason {
  /** Completes “Disabled …”. */
  cause: string;
  /** Explanation and next step. */
  advice: string;
}

export const DISABLED_REASONS: Record<WebhookDisabledReason, DisabledReason> = {
  manual: {
    cause: 'manually',
    advice: 'A user or an API client disabled this endpoint. Enable it to resume deliveries.',
  },
  gone: {
    cause: 'by its receiver',
    advice:
      'The receiver returned 410 Gone or the header webhook-delivery: disable: it no longer accepts events. Deliveries that waited then were cancelled. Enable the endpoint when the receiver is available again; then Recover deliveries sends them.',
  },
  failing: {
    cause: 'after five days of failures',
    advice:
      'At least 100 attempts failed and none succeeded for five days. Review the latest deliveries and fix the receiver before you enable the endpoint.',
  },
};

/** Title of a disabled endpoint, such as `Endpoint disabled manually`. */
export const disabledTitle = (reason: WebhookDisabledReason | null): string =>
  reason ? `Endpoint disabled ${DISABLED_REASONS[reason].cause}` : 'Endpoint disabled';
