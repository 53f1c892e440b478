import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';

/**
 * Keeps an error of one page from taking the console with it. Often it is a part of the page that is no longer there,
 * because the service was updated since the tab was opened: loading the console anew mends that.
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
        title="This page could not be shown"
        role="alert"
      >
        <p>The service may have been updated since you opened the console.</p>
        <Button variant="default" onClick={() => window.location.reload()}>
          Load the console anew
        </Button>
      </Alert>
    );
  }
}
