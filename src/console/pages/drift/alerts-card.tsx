import { Accordion, Box, Button, Card, Group, List, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { DateTime, RelativeTime } from '../../components/time.tsx';
import { formatCount } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { DriftAlertDetailsFragment } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { binLabel, formatScore } from './drift-format.ts';
import { REFRESH_MS, type Samples, useModel } from './drift-queries.ts';
import { type NoteUntil, NoteUntilDialog } from './note-until-dialog.tsx';

const ALERTS = graphql(`
  query DriftAlerts($model: String, $stage: String) {
    active: driftAlerts(model: $model, stage: $stage, status: active) {
      ...DriftAlertDetails
    }
    acknowledged: driftAlerts(model: $model, stage: $stage, status: acknowledged) {
      ...DriftAlertDetails
    }
    cleared: driftAlerts(model: $model, stage: $stage, status: cleared, limit: 20) {
      ...DriftAlertDetails
    }
  }
  fragment DriftAlertDetails on DriftAlert {
    id
    scope
    stage
    feature
    status
    since
    clearedAt
    score
    threshold
    features {
      feature
      score
      threshold
      bin {
        lower
        upper
        category
        missing
      }
      exampleIds
    }
    acknowledgement {
      note
      until
      at
    }
  }
`);

const ACKNOWLEDGE = graphql(`
  mutation AcknowledgeDriftAlert($id: ID!, $note: String!, $until: DateTime) {
    acknowledgeDriftAlert(id: $id, note: $note, until: $until) {
      id
    }
  }
`);

const WITHDRAW = graphql(`
  mutation WithdrawDriftAcknowledgement($id: ID!) {
    withdrawDriftAcknowledgement(id: $id) {
      id
    }
  }
`);

type DriftAlert = DriftAlertDetailsFragment;

/** Alerts of all samples and every stage, or of one stage. Requires an admin key. */
export const driftAlertsQuery = ({ call, isAdmin }: Session, { model, stage }: Samples) => ({
  queryKey: queryKeys.driftAlerts(model, stage),
  queryFn: () => call(ALERTS, { model, stage }),
  enabled: isAdmin,
});

/** Alerts that last, with what drifted and what can be done, and the latest cleared ones. */
export function AlertsCard({ stage }: { stage: string | null }) {
  const query = driftAlertsQuery(useSession(), { model: useModel(), stage });
  const { data, error } = useQuery({ ...query, refetchInterval: REFRESH_MS });
  const lasting = data && [...data.active, ...data.acknowledged];
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb={4}>
        Alerts
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        A drift that two consecutive checks found. A reminder is sent each week while it lasts, unless it is
        acknowledged.
      </Text>
      <ErrorAlert error={error} />
      {!data && !error && <Skeleton h={60} aria-label="Loading the alerts" />}
      {lasting?.length === 0 && <Text size="sm">No lasting alert.</Text>}
      {lasting && lasting.length > 0 && <AlertList label="Lasting alerts" alerts={lasting} />}
      {data && data.cleared.length > 0 && (
        <Accordion mt="sm">
          <Accordion.Item value="cleared" style={{ borderBottom: 0 }}>
            <Accordion.Control>
              <Text size="sm">Show {formatCount(data.cleared.length, 'cleared alert')}</Text>
            </Accordion.Control>
            <Accordion.Panel>
              <AlertList label="Cleared alerts" alerts={data.cleared} />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      )}
    </Card>
  );
}

const AlertList = ({ label, alerts }: { label: string; alerts: readonly DriftAlert[] }) => (
  <Stack component="ul" gap="lg" m={0} p={0} aria-label={label} style={{ listStyle: 'none' }}>
    {alerts.map((alert) => (
      <AlertItem key={alert.id} alert={alert} />
    ))}
  </Stack>
);

/** `All samples`, `Stage trial`, `Feature age`. */
function subjectOf({ scope, stage, feature }: DriftAlert): string {
  switch (scope) {
    case 'overall':
      return 'All samples';
    case 'stage':
      return `Stage ${stage}`;
    case 'feature':
      return `Feature ${feature}`;
  }
}

function AlertItem({ alert }: { alert: DriftAlert }) {
  const { status, since, clearedAt, score, threshold, features } = alert;
  return (
    <Box component="li" aria-label={subjectOf(alert)}>
      <Group justify="space-between" align="flex-start">
        <Group gap="xs">
          <Text fw={650} className="breakable">
            {subjectOf(alert)}
          </Text>
          <StatusBadge status={status} />
        </Group>
        {status !== 'cleared' && <AlertActions alert={alert} />}
      </Group>
      <Text size="sm" c="dimmed" component="div">
        Since <RelativeTime at={since} />, with score {formatScore(score)} above the threshold of {threshold}
        {clearedAt && (
          <>
            ; cleared <RelativeTime at={clearedAt} />
          </>
        )}
        .
      </Text>
      <Acknowledgement alert={alert} />
      {features.length > 0 && (
        <List size="sm" mt={4}>
          {features.map((drift) => (
            <List.Item key={drift.feature} className="breakable">
              <b>{drift.feature}</b>: {describeFeature(drift)}
            </List.Item>
          ))}
        </List>
      )}
    </Box>
  );
}

/** `score 0.412; most in 20 – 25; for example rows lead-1, lead-2`. */
function describeFeature({ score, bin, exampleIds }: DriftAlert['features'][number]): string {
  const parts = [`score ${formatScore(score)}`];
  if (bin) parts.push(`most in ${binLabel(bin)}`);
  if (exampleIds.length > 0) parts.push(`for example rows ${exampleIds.join(', ')}`);
  return parts.join('; ');
}

function Acknowledgement({ alert: { status, acknowledgement } }: { alert: DriftAlert }) {
  if (!acknowledgement) return null;
  const { note, until, at } = acknowledgement;
  return (
    <Text size="sm" component="div" className="breakable">
      Acknowledged <RelativeTime at={at} />
      {until && (
        <>
          {status === 'acknowledged' ? ', until ' : ', ended '}
          <DateTime at={until} />
        </>
      )}
      : {note}
    </Text>
  );
}

function AlertActions({ alert }: { alert: DriftAlert }) {
  const { id, status, acknowledgement } = alert;
  const { call } = useSession();
  const [opened, { open, close }] = useDisclosure(false);
  const subject = subjectOf(alert);
  const acknowledge = useServiceMutation((values: NoteUntil) => call(ACKNOWLEDGE, { id, ...values }), {
    invalidates: [queryKeys.drift],
    notify: () => ({ message: `Alert acknowledged: ${subject}.`, color: 'teal' }),
  });
  const withdraw = useServiceMutation(() => call(WITHDRAW, { id }), {
    invalidates: [queryKeys.drift],
    notify: () => ({ message: `Acknowledgement withdrawn: ${subject}.`, color: 'teal' }),
    notifyFailure: true,
  });
  const isAcknowledged = status === 'acknowledged';
  return (
    <Group gap="xs">
      <Button
        variant="default"
        onClick={() => {
          acknowledge.reset();
          open();
        }}
      >
        {isAcknowledged ? 'Change acknowledgement' : 'Acknowledge'}
      </Button>
      {isAcknowledged && (
        <ActionButton icon={IconArrowBackUp} label="Withdraw" variant="default" action={withdraw} />
      )}
      {opened && (
        <NoteUntilDialog
          title={`Acknowledge alert: ${subject}`}
          action="Acknowledge"
          noteRequired
          untilDescription="Leave empty to send no reminders until the drift is cleared."
          initial={isAcknowledged && acknowledgement ? acknowledgement : undefined}
          mutation={acknowledge}
          close={close}
        >
          No reminders are sent while the alert is acknowledged. Its scores stay as they are.
        </NoteUntilDialog>
      )}
    </Group>
  );
}
