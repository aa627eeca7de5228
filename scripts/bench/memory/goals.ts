import type { Goal } from '../goal.js';
import { valuesOf } from '../results.js';
import { loads, type MemoryLoad } from './loads.js';
import { limitMB } from './memory.js';

/** The peak cannot be above the limit; a process that was ended counts as more. */
function survival({ name, title }: MemoryLoad): Goal {
  return {
    ...{
      name: `memory: ${title}: the process lives in ${limitMB} MB`,
      better: 'less',
      bound: limitMB,
      unit: 'MB',
    },
    values: (results) => valuesOf(results, 'memory-peak', name),
  };
}

function otherOwner({ name, title, mayRefuseOthers }: MemoryLoad): Goal {
  const [words, measure] = mayRefuseOthers
    ? ['answered', 'memory-other-answered']
    : ['carried out', 'memory-other'];
  return {
    ...{
      name: `memory: ${title}: another owner's creates are ${words}`,
      better: 'more',
      bound: 100,
      unit: '%',
    },
    values: (results) => valuesOf(results, measure, name),
  };
}

export const memory: readonly Goal[] = loads.flatMap((load) => [survival(load), otherOwner(load)]);
