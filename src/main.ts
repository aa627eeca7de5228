/** Loads the service. Node.js opens many of its files at once, before a line of them runs. */
import { explainOpenFiles } from './start/open-files.js';

try {
  await import('./service.js');
} catch (error) {
  const sentence = explainOpenFiles(error);
  if (sentence === undefined) throw error;
  console.error(sentence);
  process.exit(1);
}
