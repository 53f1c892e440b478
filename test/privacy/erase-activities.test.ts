import { expect, test } from 'vitest';
import type { MeetingJson } from '../../src/demo/provider/meeting-json.ts';
import { activitiesOf, connectedTenant, connector, syncOf } from '../meetings/support.ts';
import { eventually, type TestTenant } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { ENCRYPTION_KEY, erase } from './privacy-support.ts';

const DAY = 24 * 60 * 60_000;

/** A meeting that names a person only in the provider's record. */
function meetingOf(id: string, daysAgo: number, owner: string): MeetingJson {
  const at = new Date(Date.now() - daysAgo * DAY).toISOString();
  return {
    ...{ id, title: 'Review', created_at: at, started_at: at, duration_seconds: 600, summary: null },
    participants: [
      { name: 'Hedda Host', email: 'hedda@acme.example', role: 'host' },
      { name: 'Gustav Guest', email: 'gustav@other.example', role: 'guest' },
    ],
    transcript: [{ speaker: 'Gustav Guest', text: 'Hello', start_time: 0, end_time: 5 }],
    crm: { owner, note: `Ask ${owner} about it`, region: 'north' },
  };
}

const UPDATE = `mutation ($mappings: [FieldMappingInput!]!) {
  updateRecorderFieldMapping(mappings: $mappings) { sourceField }
}`;
const MAPPINGS = [
  { sourceField: 'id', targetField: 'externalId' },
  { sourceField: 'created_at', targetField: 'occurredAt' },
  { sourceField: '/crm/owner', targetField: 'personExternalId' },
  { sourceField: '/crm/note', targetField: 'properties.note' },
];
const REGION = { sourceField: '/crm/region', targetField: 'properties.region' };

/** Long enough to be found in texts, and too short for that. */
const LONG = 'p_harbour_77';
const SHORT = 'z77';
const OTHER = 'z99';

test.each(['off', 'on'])('the activities of a person, with PII_ENCRYPTION=%s', async (PII_ENCRYPTION) => {
  const { app } = await connector(
    { meetings: [meetingOf('long', 5, LONG), meetingOf('short', 1, SHORT), meetingOf('other', 1, OTHER)] },
    { PII_ENCRYPTION, CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY },
  );
  const tenant: TestTenant = await connectedTenant(app);
  const base = `/api/v1/customers/${tenant.customerId}`;
  const map = async (mappings: object[]) =>
    expect((await app.graphql(UPDATE, { mappings }, tenant.write)).body.errors).toBeUndefined();
  const activityOf = async (id: string) =>
    (await activitiesOf(app, tenant)).edges.find(({ node }) => node.externalId === `recorder_${id}`)?.node;
  const exportedActivities = async (person: string) => {
    const path = `${base}/export?resolvedPersonId=${person}&kind=activities`;
    const { body } = await app.request('GET', path, { key: tenant.write });
    return String(body)
      .split('\n')
      .filter((line) => line.startsWith('{"kind":"activities"'))
      .map((line) => JSON.parse(line).row.externalId);
  };

  await map([...MAPPINGS, REGION]);
  await syncOf(app, tenant);
  expect(await activityOf('long')).toMatchObject({ personExternalId: LONG });
  expect(await exportedActivities(SHORT)).toEqual(['recorder_short']);
  expect(await exportedActivities(LONG)).toEqual(['recorder_long']);

  // The provider's record of the first meeting goes; its activity stays.
  const changed = await app.request('PATCH', `${base}/retention`, {
    key: tenant.write,
    body: { transcripts: 3 },
  });
  expect(changed.status).toBe(200);
  await runJob(app, 'privacy.retain');
  const withRecord = { customerId: tenant.customerId, data: { $exists: true } };
  await eventually(
    async () => (await app.models.MeetingProviderRecord.countDocuments(withRecord)) === 2 || undefined,
  );
  expect(await erase(app, tenant, { resolvedPersonId: LONG })).toMatchObject({ status: 'completed' });
  expect(await activityOf('long')).toMatchObject({
    personExternalId: null,
    properties: { note: 'Ask [erased] about it', region: 'north', recorderMeetingId: 'long' },
  });

  expect(await erase(app, tenant, { resolvedPersonId: SHORT })).toMatchObject({ status: 'completed' });
  expect(await activityOf('short')).toMatchObject({ personExternalId: null, properties: { note: null } });
  expect(await exportedActivities(SHORT)).toEqual([]);

  // The next sync stores the record again, with the suppressed id.
  await syncOf(app, tenant);
  expect(await activityOf('short')).toMatchObject({
    personExternalId: null,
    properties: { region: 'north' },
  });
  await map(MAPPINGS);
  await eventually(
    async () => ((await activityOf('short'))?.properties.region === undefined ? true : undefined),
    30_000,
  );
  expect(await activityOf('short')).toMatchObject({ personExternalId: null });
  expect(await activityOf('other')).toMatchObject({ personExternalId: OTHER });
  expect((await activitiesOf(app, tenant, { personExternalId: SHORT })).edges).toEqual([]);
});
