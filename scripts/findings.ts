/**
 * Runs the scripts of findings/, or those that are named, one after the other: each says whether a package of
 * others still does what surprised us. They need the network, so CI does not run them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../src/project.js';

const folder = join(projectFolder, 'findings');
const all = (await readdir(folder)).filter((name) => name.endsWith('.sh')).sort();
const named = process.argv.slice(2);
const scripts = all.filter((name) => named.length === 0 || named.includes(name.replace(/\.sh$/, '')));

if (scripts.length < named.length || scripts.length === 0) {
  console.error(`There is no such finding. There are: ${all.join(', ').replaceAll('.sh', '')}.`);
  process.exitCode = 2;
}
const changed: string[] = [];
for (const script of scripts) {
  console.log(`\n${script}`);
  const [code] = await once(spawn(join(folder, script), { stdio: 'inherit' }), 'exit');
  if (code !== 0) changed.push(script);
}
if (changed.length > 0) {
  console.error(`\nNo longer as told, or not to be run here: ${changed.join(', ')}`);
  process.exitCode = 1;
}
