import type { ConsoleSession as SessionShape } from '../src/features/tenants/console-sessions.ts';
import { builder } from './builder.ts';

const ConsoleSession = builder.objectRef<SessionShape>('ConsoleSession').implement({
  description: 'A session of the console, which a sign-in with an API key has started.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the session, as in the audit log.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'Time of the sign-in.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      description: 'Time of the latest use, to within two minutes.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description:
        'Time at which the session ends at the latest; it ends earlier after 30 minutes without use.',
    }),
    address: t.exposeString('address', {
      nullable: true,
      description: 'Client address of the sign-in; null if it is not known.',
    }),
    isCurrent: t.exposeBoolean('isCurrent', { description: 'True for the session of the request.' }),
  }),
});

builder.queryField('consoleSessions', (t) =>
  t.field({
    type: [ConsoleSession],
    description:
      'Open console sessions of the API key of the request, newest first; the latest 100 that were started.',
    scope: 'read',
    resource: 'any',
    complexity: 5,
    resolve: (_root, _args, { principal, services }) => services.consoleSessions.list(principal),
  }),
);

builder.mutationField('endConsoleSession', (t) =>
  t.field({
    type: ConsoleSession,
    description:
      'Ends a console session of the API key of the request, in every process, and returns it. `NOT_FOUND` if the key has no such open session. Requires the scope `write`; a read key can end all of its sessions at once on the console.',
    scope: 'write',
    resource: 'any',
    args: { id: t.arg.id({ required: true, description: 'ID of the session.' }) },
    resolve: (_root, { id }, { principal, services }) => services.consoleSessions.endOne(principal, id),
  }),
);
