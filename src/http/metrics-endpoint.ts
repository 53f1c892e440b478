import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Exchange } from './exchange.ts';
import { DATA_HEADERS } from './response/security-headers.ts';
import { send } from './response/send-response.ts';

/** The numbers as Prometheus reads them, and their content type (prom-client's `Registry`). */
export type RenderMetrics = () => Promise<{ contentType: string; text: string }>;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** `GET /metrics` (contract 2): free on loopback, with the token as bearer elsewhere, and not there without one. */
export function metricsHandler(
  render: RenderMetrics,
  { metricsToken, loopback }: Pick<Config, 'metricsToken' | 'loopback'>,
) {
  const expected = metricsToken === null ? null : digest(`Bearer ${metricsToken}`);
  return async (x: Exchange): Promise<void> => {
    if (!loopback) {
      if (!expected) throw new AppError('NOT_FOUND', 'There is nothing at this address.');
      const given = digest(x.req.headers.authorization ?? '');
      if (!timingSafeEqual(given, expected))
        throw new AppError(
          'UNAUTHENTICATED',
          'The token of METRICS_TOKEN is needed: Authorization: Bearer <token>.',
        );
    }
    const { contentType, text } = await render();
    send(x, 200, [...DATA_HEADERS, 'Content-Type', contentType], text);
  };
}
