import { tenantLeaseModel } from '../../platform/leases/tenant-lease.model.ts';

/** The right to export the data of a tenant. */
export const exportLeaseModel = tenantLeaseModel('ExportLease', 'exportLeases');
