import fc from 'fast-check';
import t from 'tap';
import { missesNoBreak } from './missed-breaks.js';

// Many pairs take a minute; slow machines get more time.
t.setTimeout(600_000);

t.test('diff:contract misses no break between many random schemas', async () => {
  fc.assert(missesNoBreak, { numRuns: 10_000 });
});
