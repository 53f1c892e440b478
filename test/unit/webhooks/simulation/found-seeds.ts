/**
 * Seeds that have found a fault, which every run of the tests repeats. What a seed does also depends on the code: after a
 * change of the engine it is one more seed.
 */
export const FOUND_SEEDS = {
  'writing a batch of results again logs an attempt twice': [34, 134, 2050],
  'an attempt begins under an expired lease': [110, 124, 219, 223, 270, 330],
  'a late failure hides an earlier success': [730, 3226, 3985, 5119],
  'a delivery stays in memory after a claim has held the free slots of its endpoint': [
    194, 370, 756, 1082, 5131,
  ],
  'an attempt uses an endpoint that was read before a change and received after it': [
    236, 284, 623, 899, 2796,
  ],
  'an attempt to a replaced target has effects on the endpoint': [424, 852],
  'retries that are due later block a recovery': [814, 1775, 4129, 4923],
  'a failover undoes the result of a retry': [220, 242],
  'a failover undoes the success of a first attempt': [78, 420, 508, 1221, 1413],
  'a success is not logged that a failover has undone before a later success of the delivery': [28586],
  'a failover undoes a change of an endpoint, and the next change is taken for it': [29542],
  'a failover undoes a disabling that a response has confirmed': [1067625],
  'a late result is logged again under the lease that a failover has given back': [3006980],
  'claims pass over a delivery that returns to the queue with an earlier time': [1066524],
  'an older delivery waits in the database until memory is empty': [819, 851],
  'first attempts take every slot while retries are due': [328, 2349],
  'a stopping process begins an attempt after it has given up the lease': [906693, 906737, 907014],
  'a resend moves a delivery that is due to the end of the queue': [836, 880],
  'a claim takes a delivery that another process has held since it was read': [20014649],
  'an attempt uses an endpoint that was read before one of two simultaneous changes, and received after it': [
    20005752,
  ],
  'deliveries in memory wait for a slot that a probe has released': [50020933],
  'the checker takes a delivery that a repair has stored late for a later one': [50011768],
  'the checker expects attempts of deliveries whose process lost the response to its claim': [10018630],
} satisfies Record<string, number[]>;
