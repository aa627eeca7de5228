import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** All tests together must cover the service completely; its tools are tested without that rule. */
const service = readdirSync('src', { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

export default () => service;
