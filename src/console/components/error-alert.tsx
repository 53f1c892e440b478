import { Alert, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { toReadableError } from '../api/error-messages.ts';
import { TextWithTimes } from './text-with-times.tsx';

/** Shows an error with its details and request ID; renders nothing without an error. */
export function ErrorAlert({ error }: { error: unknown }) {
  if (!error) return null;
  const { title, message, details, requestId } = toReadableError(error);
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={title} role="alert">
      {message !== title && (
        <Text size="sm">
          <TextWithTimes>{message}</TextWithTimes>
        </Text>
      )}
      {details.length > 0 && (
        <List size="sm" mt="xs">
          {details.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>
              <b>{path}</b>: {message}
            </List.Item>
          ))}
        </List>
      )}
      {requestId && (
        <Text size="xs" c="dimmed" mt="xs" className="mono">
          Request ID: {requestId}
        </Text>
      )}
    </Alert>
  );
}
