import t from 'tap';
import { busyTime, type Profile } from '../../scripts/bench/costs/profile.js';

function frame(id: number, functionName: string, url: string, children: number[] = []) {
  return { id, callFrame: { functionName, url }, children };
}

const profile: Profile = {
  nodes: [
    frame(1, '(root)', '', [2, 3, 6]),
    frame(2, '(idle)', ''),
    frame(3, 'answer', 'file:///answer.js', [4]),
    frame(4, 'count', 'file:///metrics.js', [5]),
    frame(5, 'push', 'node:array'),
    frame(6, '(garbage collector)', ''),
  ],
  startTime: 1_000,
  samples: [4, 2, 3, 4, 5, 6, 4],
  timeDeltas: [100, 500, 100, 50, 50, 200, 100],
};
const isMetrics = (url: string) => url.endsWith('/metrics.js');

t.test("a file's time in a profile has what it called, and leaves out idle time", async (t) => {
  t.strictSame(busyTime(profile, isMetrics, { from: 0, until: 10_000 }), { theirs: 300, all: 600 });
});

t.test("a file's time in a profile can be that of a part of it", async (t) => {
  t.strictSame(busyTime(profile, isMetrics, { from: 1_601, until: 2_000 }), { theirs: 100, all: 400 });
});
