/** A CPU profile of V8, as `node --cpu-prof` writes it. */

export interface Profile {
  readonly nodes: readonly Frame[];
  /** Microseconds on the clock of process.hrtime(). */
  readonly startTime: number;
  /** The node that was found each time. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface Window {
  readonly from: number;
  readonly until: number;
}

/** Microseconds of the thread, without idle time. */
export interface Busy {
  /** In the files that are asked for, and in all that they called. */
  readonly theirs: number;
  readonly all: number;
}

/** @param window in microseconds, as `startTime` */
export function busyTime(profile: Profile, isAsked: (url: string) => boolean, { from, until }: Window): Busy {
  const asked = framesBelow(profile, ({ callFrame }) => isAsked(callFrame.url));
  const idle = framesBelow(profile, ({ callFrame }) => callFrame.functionName === '(idle)');
  let [now, theirs, all] = [profile.startTime, 0, 0];
  for (const [index, id] of profile.samples.entries()) {
    const time = profile.timeDeltas[index] ?? 0;
    now += time;
    if (now < from || now > until || idle.has(id)) continue;
    all += time;
    if (asked.has(id)) theirs += time;
  }
  return { theirs, all };
}

/** These frames, and those that they called. */
function framesBelow({ nodes }: Profile, isWanted: (frame: Frame) => boolean): ReadonlySet<number> {
  const frames = new Map(nodes.map((frame) => [frame.id, frame]));
  const found = new Set<number>();
  const add = (id: number): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const child of frames.get(id)?.children ?? []) add(child);
  };
  for (const frame of nodes) if (isWanted(frame)) add(frame.id);
  return found;
}
