/** Returns the CPU time of a function, in milliseconds: unlike its duration, other processes do not change it. */
export async function cpuMsOf(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  return process.cpuUsage(before).user / 1000;
}
