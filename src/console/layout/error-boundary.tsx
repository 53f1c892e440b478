import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Component, type ReactNode } from 'react';
import { PageLoadError } from '../lazy-component.ts';

/** Contains loading and rendering errors to one page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const [title, cause] =
      error instanceof PageLoadError
        ? ['This page failed to load', 'The service responds, but a file of this page is missing.']
        : ['This page failed unexpectedly', String(error)];
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={title} role="alert">
        <p>{cause}</p>
        <Button variant="default" onClick={() => window.location.reload()}>
          Retry
        </Button>
      </Alert>
    );
  }
}
