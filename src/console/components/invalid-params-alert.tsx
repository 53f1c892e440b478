import { Alert } from '@mantine/core';
import { IconFilterOff } from '@tabler/icons-react';

/** Names the filters in the address that are not valid, and so do not apply; renders nothing without one. */
export const InvalidParamsAlert = ({ params }: { params: readonly string[] }) =>
  params.length > 0 && (
    <Alert
      color="orange"
      icon={<IconFilterOff aria-hidden />}
      title="A filter in the address is not valid"
      role="alert"
      className="breakable"
    >
      The list is shown without {params.join(', ')}. Select a filter below.
    </Alert>
  );
