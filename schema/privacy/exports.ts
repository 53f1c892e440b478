import { z } from 'zod';
import { actorOf } from '../../src/features/audit/audit-actor.ts';
import { EXPORT_KINDS, type ExportKind } from '../../src/features/privacy/export-source.ts';
import { LIMITS } from '../../src/limits/limits.ts';
import { emailAddress, text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';
import { cursorArgument } from '../paging.ts';
import { privacyRoute } from './privacy-routes.ts';

const identifier = { schema: text() };

const CONVERSATION_LINE = {
  kind: 'conversations',
  row: {
    ...{
      id: '665f1c2ab8e4d3a1f0c9b7e6',
      visitor_id: 'v_8f2c',
      status: 'active',
      converted: false,
      goal: null,
    },
    ...{ started_at: '2026-01-31T09:30:00.000Z', ended_at: null, transcript: [] },
    ...{ identity: null, conversion: null },
  },
};

builder.queryField('exportCustomer', (t) =>
  t.field({
    ...privacyRoute({
      method: 'GET',
      path: '/export',
      scope: 'write',
      resource: 'account',
      summary: 'Export the data of a customer or of a person',
      lines: true,
      errors: {
        CONFLICT:
          'An export of the customer is running, or the identifiers are linked to more than 1,000 others.',
        SERVICE_UNAVAILABLE: `The process has ${LIMITS.streamedExports.default} exports in progress, of all customers, or the database is unavailable.`,
      },
      example: {
        query: { kind: 'conversations' },
        response: [CONVERSATION_LINE, { end: true, rows: 1 }],
      },
    }),
    type: 'JSON',
    description:
      'Streams everything that the service stores of the customer, without secrets, or what it stores about a person, whose visitor ids, email addresses and person ids are followed from the given ones. Each line is a JSON object: `{ kind, row }` for a row, `{ cursor }` after some rows, and `{ end: true, rows }` at the end: without that line, the export is not complete. To continue, pass the last `cursor`; rows behind it are sent again. A customer has one export at a time. The audit log records it.',
    args: {
      kind: t.arg.string({
        description: `What to export; all kinds without it. One of ${EXPORT_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
        validate: { schema: z.enum(EXPORT_KINDS) },
      }),
      cursor: t.arg.string({
        description: 'Cursor of the last line that has one, of an export with the same parameters.',
        validate: { schema: cursorArgument },
      }),
      email: t.arg.string({
        description: 'Only what is about the person with this email address, in upper or lower case.',
        validate: { schema: emailAddress },
      }),
      visitorId: t.arg.string({
        description: 'Only what is about the person with this visitor id.',
        validate: identifier,
      }),
      resolvedPersonId: t.arg.string({
        description: 'Only what is about the person with this person id of an identity or a resolution.',
        validate: identifier,
      }),
    },
    resolve: async (
      _root,
      { kind, ...args },
      { services, tenant, principal, clientAddress, requestId, signal },
    ) =>
      (await services.exports.stream(
        tenant(),
        { ...args, kind: kind as ExportKind | null | undefined },
        { actor: actorOf(principal), clientAddress, requestId, signal },
      )) as never,
  }),
);
