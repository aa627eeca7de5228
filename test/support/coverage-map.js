import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The service is covered whole, by all tests together. Its tools are tested, too, but not held to every line. */
const service = readdirSync('src', { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

export default () => service;
