import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Dialog } from '../../../components/dialog.tsx';
import { SyncRangeForm } from './sync-range-form.tsx';

/** Button that opens the form for a sync of a time range. */
export function SyncRangeDialog() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Sync time range
      </Button>
      <Dialog opened={opened} onClose={close} title="Sync time range">
        <SyncRangeForm close={close} />
      </Dialog>
    </>
  );
}
