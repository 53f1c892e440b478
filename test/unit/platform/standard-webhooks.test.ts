import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newSecret } from '../../../src/features/webhooks/signature/sign.ts';
import { verifyStandardWebhook } from '../../../src/platform/standard-webhooks.ts';

const secret = newSecret();
const body = '{"type":"meeting.updated","name":"Grüße 日本 👋"}';

interface Message {
  id?: string;
  /** Seconds between the sender's clock and the service's. */
  ageSeconds?: number;
  signedWith?: string;
  /** Changes the headers of the signed message. */
  alter?: (headers: Record<string, string>) => Record<string, string>;
  receivedBody?: string;
}

/** Returns a message that the reference library has signed, as the service receives it. */
function received({
  id = 'msg_1',
  ageSeconds = 0,
  signedWith = secret,
  alter,
  receivedBody = body,
}: Message) {
  const sentAt = new Date(Date.now() - ageSeconds * 1_000);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': new Webhook(signedWith).sign(id, sentAt, body),
  };
  return { headers: alter ? alter(headers) : headers, body: receivedBody };
}

const isAcceptedByLibrary = ({ headers, body }: ReturnType<typeof received>): boolean => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

const withSignature =
  (change: (signature: string) => string) =>
  (headers: Record<string, string>): Record<string, string> => ({
    ...headers,
    'webhook-signature': change(headers['webhook-signature'] ?? ''),
  });

describe('a webhook of the meeting provider is verified as the reference library does', () => {
  test.each<[string, Message, boolean]>([
    ['a signed message', {}, true],
    ['a message of almost five minutes ago', { ageSeconds: 290 }, true],
    ['a message of almost five minutes ahead', { ageSeconds: -290 }, true],
    ['a message of more than five minutes ago', { ageSeconds: 310 }, false],
    ['a message of more than five minutes ahead', { ageSeconds: -310 }, false],
    ['the signature of another secret', { signedWith: newSecret() }, false],
    ['a second signature that matches', { alter: withSignature((own) => `v1,AAAA ${own}`) }, true],
    ['a signature of another version', { alter: withSignature((own) => own.replace('v1,', 'v1a,')) }, false],
    ['no signature', { alter: withSignature(() => '') }, false],
    ['another id', { alter: (headers) => ({ ...headers, 'webhook-id': 'msg_2' }) }, false],
    ['another body', { receivedBody: `${body} ` }, false],
    ['no timestamp', { alter: ({ 'webhook-timestamp': _, ...headers }) => headers }, false],
  ])('%s', (_name, message, isAccepted) => {
    const webhook = received(message);
    expect(isAcceptedByLibrary(webhook)).toBe(isAccepted);
    expect(verifyStandardWebhook({ secret, now: new Date(), ...webhook })).toBe(isAccepted ? 'msg_1' : null);
  });

  test('but reads the timestamp strictly, and at most eight signatures', () => {
    const digits = received({
      alter: (headers) => ({ ...headers, 'webhook-timestamp': `${headers['webhook-timestamp']}.9` }),
    });
    const ninth = received({ alter: withSignature((own) => `${'v1,AAAA '.repeat(8)}${own}`) });
    for (const webhook of [digits, ninth]) {
      expect(isAcceptedByLibrary(webhook)).toBe(true);
      expect(verifyStandardWebhook({ secret, now: new Date(), ...webhook })).toBeNull();
    }
  });
});
