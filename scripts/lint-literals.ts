/** `npm run lint:literals`: exits 1 if a long text can hold up a regular expression of the code that ships. */

import { projectFolder } from '../packages/kit/index.js';
import { judgeLiterals, shippedSources } from './literals.js';

const { faults, notes } = await judgeLiterals(projectFolder, await shippedSources());
for (const line of [...notes, ...faults]) console.log(line);
process.exitCode = faults.length === 0 ? 0 : 1;
