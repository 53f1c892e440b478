import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBell } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { DateTime } from '../../components/time.tsx';
import { graphql } from '../../generated/gql.ts';
import type { DriftMutesQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';
import { REFRESH_MS, useModel } from './drift-queries.ts';
import { type NoteUntil, NoteUntilDialog } from './note-until-dialog.tsx';

const MUTES = graphql(`
  query DriftMutes($model: String) {
    driftMutes(model: $model) {
      id
      stage
      feature
      note
      until
    }
  }
`);

const MUTE = graphql(`
  mutation MuteDriftFeature($feature: String!, $model: String, $stage: String, $note: String, $until: DateTime) {
    muteDriftFeature(feature: $feature, model: $model, stage: $stage, note: $note, until: $until) {
      id
    }
  }
`);

const UNMUTE = graphql(`
  mutation UnmuteDriftFeature($feature: String!, $model: String, $stage: String) {
    unmuteDriftFeature(feature: $feature, model: $model, stage: $stage) {
      id
    }
  }
`);

type FeatureMute = DriftMutesQuery['driftMutes'][number];

/** Loads the mutes that apply to all samples (a null stage) or to a stage. Without an admin key, it loads nothing. */
export function useDriftMutes(stage: string | null) {
  const { call, isAdmin } = useSession();
  const model = useModel();
  return useQuery({
    queryKey: queryKeys.driftMutes(model),
    queryFn: async () => (await call(MUTES, { model })).driftMutes,
    // A mute without a stage applies to every stage.
    select: (mutes) => mutes.filter((mute) => mute.stage === null || mute.stage === stage),
    refetchInterval: REFRESH_MS,
    enabled: isAdmin,
  });
}

interface FeatureMutesProps {
  feature: string;
  /** Null: all samples. */
  stage: string | null;
}

/** Whether the feature raises alerts, which an admin can change. */
export function FeatureMutes({ feature, stage }: FeatureMutesProps) {
  const { data, error } = useDriftMutes(stage);
  const mutes = data?.filter((mute) => mute.feature === feature);
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        Alerts
      </Title>
      <ErrorAlert error={error} />
      {mutes?.length === 0 && <MuteButton feature={feature} stage={stage} />}
      <Stack gap="sm">
        {mutes?.map((mute) => (
          <MutedFeature key={mute.id} {...mute} />
        ))}
      </Stack>
    </div>
  );
}

const samplesOf = (stage: string | null): string =>
  stage === null ? 'all samples and every stage' : `stage ${stage}`;

function MuteButton({ feature, stage }: FeatureMutesProps) {
  const { call } = useSession();
  const model = useModel();
  const [opened, { open, close }] = useDisclosure(false);
  const mute = useServiceMutation(
    ({ note, until }: NoteUntil) => call(MUTE, { feature, model, stage, note: note || null, until }),
    {
      invalidates: [queryKeys.drift],
      notify: () => ({ message: `${feature} muted for ${samplesOf(stage)}.`, color: 'teal' }),
    },
  );
  return (
    <Group justify="space-between">
      <Text size="sm">The feature raises alerts.</Text>
      <Button
        variant="default"
        onClick={() => {
          mute.reset();
          open();
        }}
      >
        Mute
      </Button>
      {opened && (
        <NoteUntilDialog
          title={`Mute ${feature}`}
          action="Mute feature"
          untilDescription="Leave empty to mute the feature until you unmute it."
          mutation={mute}
          close={close}
        >
          From the next check on, the feature raises no alert and adds nothing to the score that alerts use,
          for {samplesOf(stage)}. The scores on this page stay as they are.
        </NoteUntilDialog>
      )}
    </Group>
  );
}

function MutedFeature({ feature, stage, note, until }: FeatureMute) {
  const { call } = useSession();
  const model = useModel();
  const unmute = useServiceMutation(() => call(UNMUTE, { feature, model, stage }), {
    invalidates: [queryKeys.drift],
    notify: () => ({ message: `${feature} unmuted for ${samplesOf(stage)}.`, color: 'teal' }),
    notifyFailure: true,
  });
  return (
    <Group justify="space-between">
      <Text size="sm" component="div" className="breakable">
        Muted for {samplesOf(stage)}
        {until && (
          <>
            , until <DateTime at={until} />
          </>
        )}
        {note && `: ${note}`}
      </Text>
      <ActionButton icon={IconBell} label="Unmute" variant="default" action={unmute} />
    </Group>
  );
}
