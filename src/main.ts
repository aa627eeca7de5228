/** Loads the plant store. Node.js opens many of its files at once, before a line of them runs. */
import { explainOpenFiles } from './start/open-files.js';

try {
  const [{ runService }, { plantParts }] = await Promise.all([import('./service.js'), import('./parts.js')]);
  await runService(plantParts);
} catch (error) {
  const sentence = explainOpenFiles(error);
  if (sentence === undefined) throw error;
  console.error(sentence);
  process.exit(1);
}
