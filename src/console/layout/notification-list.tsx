import { Notifications } from '@mantine/notifications';

export default () => <Notifications position="top-right" />;
