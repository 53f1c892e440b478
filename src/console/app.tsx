import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { queryClient } from './api/query-client.ts';
import { cspNonce } from './csp-nonce.ts';
import { Notifications } from './layout/notifications.tsx';
import { Shell } from './layout/shell.tsx';
import { PageRoutes } from './page-routes.tsx';
import { SessionProvider } from './session/session.tsx';
import { SignIn } from './session/sign-in.tsx';
import { theme } from './theme.ts';

const colorScheme = localStorageColorSchemeManager({ key: 'engagement.color-scheme' });

export function App() {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorScheme}
      getStyleNonce={() => cspNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications />
        <Router base="/console">
          <SessionProvider signIn={(props) => <SignIn {...props} />}>
            <Shell>
              <PageRoutes />
            </Shell>
          </SessionProvider>
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
