import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { useRouteFocus } from '../layout/use-route-focus.ts';
import { BreakableText } from './breakable-text.tsx';

interface PageLayoutProps {
  title: string;
  /** Link to the list that the page belongs to. */
  back?: { to: string; label: string };
  subtitle?: ReactNode;
  /** Buttons next to the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** Longer titles, such as an endpoint's description, are smaller, so that a phone has space for the content. */
const MAX_LARGE_TITLE_LENGTH = 80;

/** Layout of every page: back link, title, actions, content. */
export function PageLayout({ title, back, subtitle, actions, children }: PageLayoutProps) {
  const heading = useRouteFocus();
  useEffect(() => {
    document.title = `${title} · Engagement console`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="md">
        <div>
          {back && (
            <Anchor component={Link} href={back.to} size="sm" display="inline-flex" mb={4}>
              <Group gap={4}>
                <IconArrowLeft size={16} aria-hidden />
                {back.label}
              </Group>
            </Anchor>
          )}
          <Title
            order={1}
            size={title.length > MAX_LARGE_TITLE_LENGTH ? 'h5' : 'h2'}
            className="breakable page-heading"
            ref={heading}
            tabIndex={-1}
          >
            <BreakableText>{title}</BreakableText>
          </Title>
          {subtitle && (
            <Text c="dimmed" component="div" mt={4}>
              {subtitle}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
