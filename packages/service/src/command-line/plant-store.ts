#!/usr/bin/env node
/** The program of the npm package and of the image. It loads only what its command needs. */
process.setSourceMapsEnabled(true);
const parameters = process.argv.slice(2);
if (parameters.length === 0) await import('../../../../src/main.js');
else {
  const { runProgram } = await import('./commands.js');
  await runProgram(parameters);
}
