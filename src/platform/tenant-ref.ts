/** A tenant by its number, where no more of it is needed. */
export interface TenantRef {
  customerId: number;
}
