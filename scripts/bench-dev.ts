/**
 * `npm run bench:dev`: how long it is from saving openapi/plants.yaml until `npm run dev` has its verdict, on a
 * copy of the project. Each edit is made several times; the table has the middle and the worst.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { copyProject } from './kit/project-copy.js';
import { example, pathOfExample } from './kit/readme.js';

const rounds = 7;
/** Not counted: the first edits find TypeScript and the linters cold. */
const warmUp = 2;

/** What each edit does to the contract, by the number of the round. */
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

async function main(): Promise<void> {
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
  } finally {
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'exit');
    await rm(folder, { recursive: true });
  }
}

/** The comparison with HEAD is part of the verdict. */
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
    // The rest of the project is checked after the verdict; the next edit shall find it idle.
    if (verdict.includes('no type errors')) await rest();
    return times;
  };
  console.log(`Save to verdict on ${availableParallelism()} cores, ${rounds} times each, in milliseconds:\n`);
  console.log('| edit | middle | worst | of the processors, middle |\n|---|---|---|---|');
  for (const [name, edit] of edits) {
    const times: Times[] = [];
    for (let round = 0; round < rounds + warmUp; round++) {
      // Back to where it began, so that each edit is the only one.
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
    console.log(`| ${name} | ${wall?.[middle]} | ${wall?.at(-1)} | ${busy?.[middle]} |`);
  }
  console.log(`\nLoad of the machine meanwhile (1 min): ${loadavg()[0]?.toFixed(1)}`);
}

interface Times {
  readonly wall: number;
  /** What the program took of all processors. Unlike the other it does not depend on who else uses the machine. */
  readonly busy: number;
}

/** Milliseconds, by the kernel's count; 0 where there is no /proc. */
async function processorTime({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime and stime of proc(5), in hundredths of a second.
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10;
}

/** The next line of the program's output that begins thus, each time. */
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

await main();
