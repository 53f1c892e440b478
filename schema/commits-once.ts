/**
 * Extension of a mutation that makes all of its changes in one commit of the outbox, whose result determines its
 * response. With an `Idempotency-Key`, its outcome is then part of that commit.
 */
export const COMMITS_ONCE = { commitsOnce: true } as const;
