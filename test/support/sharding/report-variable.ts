/** Names the file that the processes of one test file append their violations to. Unset outside of tests. */
export const REPORT_VARIABLE = 'SHARD_KEY_REPORT';
