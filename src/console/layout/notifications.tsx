import { useNotifications } from '@mantine/notifications';
import { Suspense, useState } from 'react';
import { lazyComponent } from '../lazy-component.ts';

const NotificationList = lazyComponent(() => import('./notification-list.tsx'));

/** Shows the notifications; loads their list with the first one. */
export function Notifications() {
  const { notifications, queue } = useNotifications();
  const [isUsed, setIsUsed] = useState(false);
  const hasAny = notifications.length + queue.length > 0;
  if (hasAny && !isUsed) setIsUsed(true);
  return <Suspense>{isUsed && <NotificationList />}</Suspense>;
}
