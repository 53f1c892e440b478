/**
 * Extension of a mutation that makes all of its changes in one commit of the outbox, whose result determines its
 * response. With an `Idempotency-Key`, the key's record is then part of that commit: the resolver passes
 * `context.idempotency` to its service.
 */
export const COMMITS_ONCE = { commitsOnce: true } as const;
