/**
 * Loads and runs the plant store. It imports with `import()`, because Node.js opens many files at once before
 * a line of them runs, and a process that may not open so many should say so.
 */
import { explainOpenFiles } from '../packages/service/src/start/open-files.js';

try {
  const [{ runService }, { plantStore }] = await Promise.all([
    import('../packages/service/src/serve.js'),
    import('./plant-store.js'),
  ]);
  await runService(plantStore);
} catch (error) {
  const sentence = explainOpenFiles(error);
  if (sentence === undefined) throw error;
  console.error(sentence);
  process.exit(1);
}
