/** User and system time of a process and its threads so far, in ms; Linux only. */
export function cpuMs(pid: number): number;
