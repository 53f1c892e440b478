import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { TestApp, TestTenant } from '../support/app.ts';
import { resultOf } from './backfill-support.ts';

export const HOOK = '{ recorderWebhook { path hasSecret } }';
export const ROTATE_HOOK = 'mutation { rotateRecorderWebhook { path hasSecret } }';
export const SET_SECRET = `mutation ($secret: String) {
  setRecorderWebhookSecret(secret: $secret) { path hasSecret }
}`;

export interface Hook {
  path: string;
  hasSecret: boolean;
}

export const newSigningSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

export const newMessageId = (): string => `msg_${randomUUID()}`;

export interface Message {
  id?: string;
  /** Time of the signature; now by default. */
  at?: Date;
  body: string;
  secret: string;
}

/** Headers of Standard Webhooks, calculated independently of the service. */
export function signed({
  id = newMessageId(),
  at = new Date(),
  body,
  secret,
}: Message): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** Sends a webhook as the provider does. */
export const send = (url: string, path: string, body: string, headers: Record<string, string>) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });

/** The webhook address of a tenant, after its signing secret has been set. */
export async function hookOf(app: TestApp, tenant: TestTenant, secret: string): Promise<Hook> {
  return resultOf<Hook>(await app.graphql(SET_SECRET, { secret }, tenant.write));
}
