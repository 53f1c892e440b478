import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';

/**
 * Contains rendering errors to one page. The usual cause is a chunk that no longer exists because the service was
 * updated after the tab was opened; a reload fixes that.
 */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <Alert
        color="red"
        icon={<IconAlertTriangle aria-hidden />}
        title="This page failed to load"
        role="alert"
      >
        <p>The service may have been updated since you opened the console.</p>
        <Button variant="default" onClick={() => window.location.reload()}>
          Reload the console
        </Button>
      </Alert>
    );
  }
}
