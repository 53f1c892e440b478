import { expect, test } from 'vitest';
import { CATALOG, EVENT_NAMES, type EventName } from '../../../src/features/outbox/event-catalog.ts';
import { thinPayload } from '../../../src/features/webhooks/delivery/thin-payload.ts';
import { newObjectId } from '../../../src/platform/mongo/object-id.ts';

const URL = 'https://engagement.example.com';
const CONVERSATION = '665f1c2ab8e4d3a1f0c9b7e6';
const delivery = { _id: newObjectId(new Date(0)), customerId: 42, endpointId: 7 };
const tenant = { customerId: 42, orgId: 'org_42' };
const inConversation = { ...tenant, conversationId: CONVERSATION };
const conversation = `${URL}/v1/conversations/${CONVERSATION}`;
const driftStatus = `${URL}/api/drift.getStatus?model=default&stage=trial`;
const alert = { ...tenant, alertId: '665f1d40b8e4d3a1f0c9b830' };

const itself = `${URL}/api/v1/customers/42/webhook-endpoints/7/deliveries/${delivery._id.toHexString()}`;
const aboutEndpoint = { ...tenant, endpointId: 7 };
const endpoint = `${URL}/api/v1/customers/42/webhook-endpoints/7`;

/** The ids and the URL that are left of each example. */
const THIN: Record<EventName, { data: object; url: string }> = {
  'conversation.started': { data: inConversation, url: conversation },
  'conversation.ended': { data: inConversation, url: conversation },
  'identity.resolved': { data: inConversation, url: conversation },
  'conversion.recorded': {
    data: { ...inConversation, conversionEventId: '665f1c9db8e4d3a1f0c9b801' },
    url: conversation,
  },
  'resolution.recorded': {
    data: { ...inConversation, resolutionEventId: '665f1ca4b8e4d3a1f0c9b802' },
    url: conversation,
  },
  'handoff.requested': {
    data: { ...inConversation, escalationId: '665f1cb0b8e4d3a1f0c9b803' },
    url: conversation,
  },
  'outcome.marked': { data: inConversation, url: conversation },
  'custom.*': { data: { ...inConversation, customEventId: '665f1d52b8e4d3a1f0c9b860' }, url: itself },
  'drift.detected': { data: alert, url: driftStatus },
  'drift.cleared': { data: alert, url: driftStatus },
  'meeting_sync.failed': { data: { ...tenant, runId: '665f1d52b8e4d3a1f0c9b840' }, url: itself },
  'recorder_key.invalid': { data: tenant, url: itself },
  'audit.recorded': {
    data: {
      ...tenant,
      auditEntryId: '665f1d52b8e4d3a1f0c9b8a1',
      actorId: '665f1d40b8e4d3a1f0c9b810',
      targetId: '7',
    },
    url: `${URL}/api/v1/customers/42/audit-log/665f1d52b8e4d3a1f0c9b8a1`,
  },
  'person.erased': {
    data: { ...tenant, erasureId: '665f1d52b8e4d3a1f0c9b850' },
    url: `${URL}/api/v1/customers/42/erasures/665f1d52b8e4d3a1f0c9b850`,
  },
  'key.expiring': { data: { ...tenant, keyId: '665f1c2ab8e4d3a1f0c9b700' }, url: itself },
  'endpoint.failing': { data: aboutEndpoint, url: endpoint },
  'endpoint.disabled': { data: aboutEndpoint, url: endpoint },
  'endpoint.recovered': { data: aboutEndpoint, url: endpoint },
  'delivery.exhausted': { data: aboutEndpoint, url: `${endpoint}/deliveries?status=failed` },
};

const thin = (event: EventName, data: object) =>
  JSON.parse(thinPayload(JSON.stringify({ event, data, ts: 1_769_851_800 }), delivery, URL));

test.each(EVENT_NAMES)('%s has its ids and the URL of its resource, and nothing about a person', (event) => {
  const body = thin(event, CATALOG[event].example);
  expect(body).toEqual({ event, ...THIN[event], ts: 1_769_851_800 });
  expect(JSON.stringify(body)).not.toMatch(/v_8f3a|p_1024|Ada|Byron|Example Ltd|lead-/);
});

test('a conversion without a conversation names its delivery', () => {
  const { url } = thin('conversion.recorded', {
    ...CATALOG['conversion.recorded'].example,
    conversationId: null,
  });
  expect(url).toBe(`${URL}/api/v1/customers/42/webhook-endpoints/7/deliveries/${delivery._id.toHexString()}`);
});

test('drift of all samples names the status of its model', () => {
  const { url } = thin('drift.detected', { ...CATALOG['drift.detected'].example, model: 'a b', stage: null });
  expect(url).toBe(`${URL}/api/drift.getStatus?model=a+b`);
});

test('a test event stays marked', () => {
  expect(thin('outcome.marked', { ...CATALOG['outcome.marked'].example, test: true }).data.test).toBe(true);
});
