import { IconPlugOff } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';

/** Placeholder while the service has no meeting provider configured. */
export const RecorderNotConfigured = () => (
  <EmptyState icon={IconPlugOff} title="No meeting provider configured">
    The operator must set <code>RECORDER_API_URL</code> to the provider's base URL and restart the service. To
    try it without a provider account, start the demo provider with{' '}
    <code>npm run -s engagement -- demo provider</code>.
  </EmptyState>
);
