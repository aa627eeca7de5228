import type { Goal } from '../goal.js';
import { valuesOf } from '../results.js';
import { loads } from './loads.js';
import { limitMB } from './memory.js';

/** A process that was ended counts as more than the limit. */
export const memory: readonly Goal[] = loads.map(({ name, title }) => ({
  ...{ name: `memory: ${title}`, better: 'less', bound: limitMB, unit: 'MB' },
  values: (results) => valuesOf(results, 'memory-peak', name),
}));
