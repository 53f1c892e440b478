import { IconPlugOff } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';

/** There is no provider that anybody could connect to. */
export const NotConfigured = () => (
  <EmptyState icon={IconPlugOff} title="This service has no meeting provider">
    Its operator names one: set <code>RECORDER_API_URL</code> to the provider's address, and start the service
    again. Who has none can try the stand-in: <code>npm run -s engagement -- demo provider</code>.
  </EmptyState>
);
