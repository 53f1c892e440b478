import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { visitorName } from '../../conversations/visitor-name.ts';
import type { DeliverySubject } from './delivery-queries.ts';

/** Returns the goal that a delivery is about; null if there is none. */
export const goalOf = (subject: DeliverySubject): string | null =>
  subject?.conversionType ?? subject?.conversation?.goal ?? null;

/** Returns true if a delivery is about a visitor. */
export const hasVisitor = (subject: DeliverySubject): boolean =>
  Boolean(subject?.conversation ?? subject?.visitorId);

/** Visitor that a delivery is about, with a link to the conversation; null if the event concerns none. */
export function SubjectVisitor({ subject }: { subject: DeliverySubject }) {
  const { conversation, visitorId } = subject ?? {};
  if (!conversation) return visitorId ?? null;
  return (
    <Anchor component={Link} href={`/conversations/${conversation.id}`} inherit className="breakable">
      {visitorName(conversation)}
    </Anchor>
  );
}

/** Goal and visitor in a row of a list; nothing for an event that concerns no visitor. */
export function SubjectLine({ subject }: { subject: DeliverySubject }) {
  const goal = goalOf(subject);
  if (goal === null && !hasVisitor(subject)) return null;
  return (
    <Text size="xs" component="div" className="breakable">
      {goal}
      {goal && hasVisitor(subject) && ', '}
      <SubjectVisitor subject={subject} />
    </Text>
  );
}
