/**
 * `npm run bench:dev`: the time from a save of openapi/plants.yaml to the verdict of `npm run dev`, on a copy
 * of the project. Each edit is made several times. The table has the median and the worst time.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runCommand } from '../../kit/command.js';
import { example, pathOfExample } from '../../kit/contract-examples.js';
import { cpuSeconds } from '../../kit/kernel.js';
import { copyProject } from '../../kit/project-copy.js';
import { tableHead, tableRow } from '../../kit/report/table.js';

const rounds = 7;
/** The first rounds do not count, because TypeScript and the linters are cold. */
const warmUp = 2;

/** Each edit of the contract. The number of the round makes it new. */
const edits: readonly [name: string, edit: (yaml: string, round: number) => string][] = [
  ['no change', (yaml) => yaml],
  ['a changed description', (yaml, round) => yaml.replace('Deletes one plant', `Deletes plant ${round}`)],
  [
    'a new optional member',
    (yaml, round) =>
      yaml.replace(
        /( +)tag:\n/,
        `$1colour${round}: { type: string, description: A colour., maxLength: 9 }\n$1tag:\n`,
      ),
  ],
  [
    'a new operation',
    (yaml, round) =>
      yaml.replace(pathOfExample, `${pathOfExample}${example.yaml.replace('getPlant', `getPlant${round}`)}`),
  ],
  ['a syntax error', (yaml, round) => yaml.replace('responses:', `responses ${round}`)],
];

const help = `Usage: npm run bench:dev

Measures the time from a save of openapi/plants.yaml to the verdict of \`npm run dev\`, on a copy of the project.

  --help   this text

Exit code: 0; 2 if it could not measure.`;

async function main(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-bench-'));
  await copyProject(folder);
  commit(folder);
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/dev.ts'], {
    cwd: folder,
    env: { ...process.env, PORT: '0', DATA_DIR: '.data', LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await measure(child, join(folder, 'openapi', 'plants.yaml'));
    return 0;
  } finally {
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'exit');
    await rm(folder, { recursive: true });
  }
}

/** Commits the copy, because the verdict compares the contract with HEAD. */
function commit(folder: string): void {
  for (const parameters of [
    ['init', '--quiet'],
    ['add', 'openapi'],
    ['commit', '--quiet', '--message=base'],
  ]) {
    const author = [
      '-c',
      'user.name=bench',
      '-c',
      'user.email=bench@example.org',
      '-c',
      'commit.gpgSign=false',
    ];
    execFileSync('git', [...author, ...parameters], { cwd: folder });
  }
}

async function measure(child: ChildProcess, file: string): Promise<void> {
  const verdicts = linesOf(child, '— openapi/plants.yaml');
  const rest = linesOf(child, '— the whole project');
  const yaml = await readFile(file, 'utf8');
  await verdicts();
  await rest();
  const saved = async (path: string, text: string): Promise<Times> => {
    const [start, busyBefore] = [performance.now(), await processorTime(child)];
    await writeFile(path, text);
    const verdict = await verdicts();
    const times = {
      wall: Math.round(performance.now() - start),
      busy: (await processorTime(child)) - busyBefore,
    };
    // The rest of the project is checked after the verdict. The next edit must not overlap with that.
    if (verdict.includes('no type errors')) await rest();
    return times;
  };
  console.log(`Save to verdict on ${availableParallelism()} cores, ${rounds} times each, in milliseconds:\n`);
  console.log(tableHead(['edit', 'median', 'worst', 'processor time, median']));
  for (const [name, edit] of edits) {
    const times: Times[] = [];
    for (let round = 0; round < rounds + warmUp; round++) {
      // This undoes the edit before, so that each edit is the only one.
      await saved(file, yaml);
      times.push(await saved(file, edit(yaml, round)));
    }
    const [wall, busy] = (['wall', 'busy'] as const).map((kind) =>
      times
        .slice(warmUp)
        .map((time) => time[kind])
        .sort((a, b) => a - b),
    );
    const middle = Math.floor(rounds / 2);
    console.log(tableRow([name, wall?.[middle] ?? '', wall?.at(-1) ?? '', busy?.[middle] ?? '']));
  }
  console.log(`\nLoad of the machine (1 min): ${loadavg()[0]?.toFixed(1)}`);
}

interface Times {
  readonly wall: number;
  /** Processor time of the program. Unlike `wall` it hardly depends on other work on the machine. */
  readonly busy: number;
}

/** @returns the processor time in milliseconds; NaN if it cannot be seen from here */
async function processorTime({ pid = 0 }: ChildProcess): Promise<number> {
  return Math.round(1_000 * ((await cpuSeconds(pid)) ?? Number.NaN));
}

/** Makes a function, each call of which waits for the next line of the program with this beginning. */
function linesOf(child: ChildProcess, beginning: string): () => Promise<string> {
  if (child.stdout === null) throw new Error('The output is piped.');
  const lines = createInterface({ input: child.stdout });
  const found: string[] = [];
  let wake = () => {};
  lines.on('line', (line) => {
    if (!line.startsWith(beginning)) return;
    found.push(line);
    wake();
  });
  return async () => {
    for (;;) {
      const line = found.shift();
      if (line !== undefined) return line;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
}

await runCommand({ help, main });
