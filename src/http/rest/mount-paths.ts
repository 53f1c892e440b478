import type { Mount } from '../../../schema/rest-route.ts';

/** Base path of each REST mount, without a trailing slash (contract 5, 7 and 9). */
export const MOUNT_BASE: Readonly<Record<Mount, string>> = { v1: '/api/v1', preview: '/v1', rpc: '/api' };
