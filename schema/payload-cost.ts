/** Query cost of the envelope of an event; a cost of 1 is up to 1 KiB. */
export const PAYLOAD_COST = 8;
