#!/usr/bin/env node
/** The program `plant-store`: `npm start` runs it, and it is that of the npm package and of the image. */
import { runProgram } from '../packages/service/program.js';

process.setSourceMapsEnabled(true);
await runProgram(async () => (await import('./plant-store.js')).plantStore, process.argv.slice(2), {
  embeddedPostgres: () => import('../packages/embedded-postgres/index.js'),
});
